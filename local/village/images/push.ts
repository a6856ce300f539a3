import { createHash } from 'node:crypto';
import type { Architecture } from './architecture.ts';
import { referenceOf, type BuiltImage } from './build.ts';
import { buildah } from './buildah.ts';
import type { ImageName } from './recipe.ts';
import type { StepContext } from '../steps.ts';

const TAG_CHARACTERS = 16;

export type ImagesByArchitecture = ReadonlyMap<Architecture, readonly BuiltImage[]>;

export interface Registry {
  /** Prefix of every name: host/path. */
  readonly prefix: string;
  /**
   * Returns the destination of a reference, in the form that buildah takes; by default the registry in the reference.
   */
  readonly destinationOf?: (reference: string) => string;
}

/** Pushes every image, as a manifest list if it has several architectures. Returns the reference of each. */
export async function pushImages(
  images: ImagesByArchitecture,
  registry: Registry,
  context: StepContext,
): Promise<Readonly<Partial<Record<ImageName, string>>>> {
  const { prefix, destinationOf = (reference) => `docker://${reference}` } = registry;
  const references: Partial<Record<ImageName, string>> = {};
  for (const [name, builds] of Map.groupBy([...images.values()].flat(), (image) => image.name)) {
    context.doing(`pushing hamlet/${name}`);
    const reference = `${prefix}/hamlet/${name}:${tagOf(builds)}`;
    await push(builds, destinationOf(reference), { context, host: prefix.split('/')[0] ?? prefix });
    references[name] = reference;
  }
  return references;
}

async function push(
  builds: readonly BuiltImage[],
  destination: string,
  { context, host }: { context: StepContext; host: string },
): Promise<void> {
  const options = { ...context, fix: `buildah login ${host}` };
  const [only] = builds;
  if (only !== undefined && builds.length === 1) {
    await buildah(['push', '--quiet', referenceOf(only), destination], options);
    return;
  }
  const list = await buildah(['manifest', 'create', `localhost/hamlet/list-${process.pid}`]);
  try {
    for (const build of builds)
      await buildah(['manifest', 'add', list, `containers-storage:${referenceOf(build)}`], options);
    await buildah(['manifest', 'push', '--quiet', '--all', list, destination], options);
  } finally {
    await buildah(['manifest', 'rm', list]);
  }
}

/** The tag of the image if there is one, or a hash of the tags if there are several. */
function tagOf(builds: readonly BuiltImage[]): string {
  const tags = builds.map(({ tag }) => tag);
  return tags.length === 1
    ? tags.join()
    : createHash('sha256').update(tags.join()).digest('hex').slice(0, TAG_CHARACTERS);
}
