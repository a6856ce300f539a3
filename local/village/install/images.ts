/** Brings the images to where the cluster finds them. */
import { rmSync } from 'node:fs';
import { hamletCluster, imagesOnAllNodes } from '../cluster.ts';
import { referenceOf, type BuiltImage } from '../images/build.ts';
import { bundleImages } from '../images/bundle.ts';
import type { StepContext } from '../steps.ts';

/** Imports into every node what it does not have; a tag is a hash of the content, so a known tag is a known image. */
export async function loadImages(images: readonly BuiltImage[], context: StepContext): Promise<string> {
  const there = await imagesOnAllNodes();
  const missing = images.filter((image) => !there.has(referenceOf(image)));
  if (missing.length === 0) return 'nothing new';
  const archive = await bundleImages(missing, context);
  try {
    context.doing(`importing ${missing.map(({ name }) => name).join(', ')}`);
    await hamletCluster(['load-image', archive], { log: context.log, onLine: context.doing });
  } finally {
    rmSync(archive, { force: true });
  }
  return missing.map(({ name }) => name).join(', ');
}
