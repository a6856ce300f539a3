/** One OCI layout with several images: layers that they share are in it once, and so are imported once. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.ts';
import { CACHE } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { referenceOf, type BuiltImage } from './build.ts';
import { buildah } from './buildah.ts';

interface OciIndex {
  manifests: { annotations?: Record<string, string> }[];
}

/** Writes the images as one tar for `ctr image import`; the caller removes the returned file. */
export async function bundleImages(images: readonly BuiltImage[], context: StepContext): Promise<string> {
  const folder = join(CACHE, `images/bundle-${process.pid}`);
  const archive = `${folder}.tar`;
  rmSync(folder, { recursive: true, force: true });
  try {
    for (const image of images) {
      // Uncompressed: the archive never leaves the machine, and gzip would take longer than the copy.
      await buildah(['push', '--quiet', '--disable-compression', referenceOf(image), `oci:${folder}:${referenceOf(image)}`], { log: context.log });
    }
    nameForContainerd(join(folder, 'index.json'));
    await run('tar', ['-C', folder, '-cf', archive, '.']);
    return archive;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** containerd takes the image's name from an annotation of its own. */
function nameForContainerd(file: string): void {
  const index = JSON.parse(readFileSync(file, 'utf8')) as OciIndex;
  for (const { annotations } of index.manifests) {
    const name = annotations?.['org.opencontainers.image.ref.name'];
    if (annotations !== undefined && name !== undefined) annotations['io.containerd.image.name'] = name;
  }
  writeFileSync(file, JSON.stringify(index));
}
