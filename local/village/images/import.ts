import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hamletCluster, imagesOnAllNodes } from '../cluster.ts';
import { largeFolder } from '../large-folder.ts';
import { CACHE } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { referenceOf, type BuiltImage } from './build.ts';
import { buildah } from './buildah.ts';

const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** Imports the images that a node does not have yet; a tag is a hash of the content. Returns their names. */
export async function importImages(images: readonly BuiltImage[], context: StepContext): Promise<string> {
  const present = await imagesOnAllNodes();
  const missing = images.filter((image) => !present.has(referenceOf(image)));
  if (missing.length === 0) return 'nothing new';
  const names = missing.map(({ name }) => name).join(', ');
  const layout = await largeFolder('hamlet-image-layout', join(CACHE, 'images'));
  try {
    await exportImages(missing, layout, context);
    context.doing(`importing ${missing.length} images`);
    await hamletCluster(['load-image', layout], context);
  } finally {
    rmSync(layout, { recursive: true, force: true });
  }
  return names;
}

/**
 * Writes the images as one OCI layout, in which shared layers occur once. It reads buildah's plain folders, because
 * buildah would compress the layers of a layout, which is slow.
 */
async function exportImages(images: readonly BuiltImage[], layout: string, { log, doing }: StepContext): Promise<void> {
  const [blobs, pushed] = [join(layout, 'blobs/sha256'), join(layout, 'pushed')];
  mkdirSync(blobs, { recursive: true });
  const manifests = [];
  for (const [index, image] of images.entries()) {
    doing(`exporting ${image.name}, ${index + 1} of ${images.length}`);
    await buildah(['push', '--quiet', '--disable-compression', referenceOf(image), `dir:${pushed}`], { log });
    manifests.push(addToLayout(pushed, blobs, referenceOf(image)));
    rmSync(pushed, { recursive: true });
  }
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
}

/** Moves one pushed image into the layout. Returns its entry in the index, with its name for containerd. */
function addToLayout(pushed: string, blobs: string, reference: string): object {
  for (const file of readdirSync(pushed)) {
    if (/^[0-9a-f]{64}$/.test(file)) renameSync(join(pushed, file), join(blobs, file));
  }
  const manifest = readFileSync(join(pushed, 'manifest.json'));
  const digest = createHash('sha256').update(manifest).digest('hex');
  writeFileSync(join(blobs, digest), manifest);
  return {
    mediaType: MANIFEST_TYPE,
    digest: `sha256:${digest}`,
    size: manifest.length,
    annotations: { 'org.opencontainers.image.ref.name': reference, 'io.containerd.image.name': reference },
  };
}
