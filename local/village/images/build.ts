/** Builds the images whose inputs changed. A tag is a hash of all that made the image, so an existing tag is never built again. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, ROOT } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { ensureBases, type Bases } from './base.ts';
import { buildDockerfile, hasImage } from './buildah.ts';
import { hostArchitecture } from './architecture.ts';
import { hashSources, stageSources, type Source } from './context.ts';
import { packageSource } from './packages.ts';
import { postgresClients, postgresClientsId } from './postgres-clients.ts';
import { IMAGE_NAMES, recipeOf, type ImageName, type Recipe } from './recipe.ts';

export interface BuiltImage {
  readonly name: ImageName;
  readonly tag: string;
  /** Whether this call built it; false when the storage had it. */
  readonly isNew: boolean;
}

/** The name under which the cluster knows an image. */
export function referenceOf(image: Pick<BuiltImage, 'name' | 'tag'>): string {
  return `docker.io/hamlet/${image.name}:${image.tag}`;
}

/** Builds those images that are not in the storage yet. */
export async function buildImages(
  context: StepContext,
  names: readonly ImageName[] = IMAGE_NAMES,
): Promise<readonly BuiltImage[]> {
  const bases = await ensureBases(context);
  const built: BuiltImage[] = [];
  for (const name of names) built.push(await buildImage(recipeOf(name, process.arch), bases, context));
  return built;
}

async function buildImage(recipe: Recipe, bases: Bases, context: StepContext): Promise<BuiltImage> {
  const base = bases[recipe.base.image];
  const dockerfile = join(ROOT, recipe.dockerfile);
  const tag = hashSources(
    [...recipe.sources, { from: dockerfile, to: 'Dockerfile' }],
    [base, ...(recipe.postgresClients === true ? [postgresClientsId()] : [])],
  );
  const image = { name: recipe.name, tag };
  if (await hasImage(referenceOf(image))) return { ...image, isNew: false };
  context.doing(`image hamlet/${recipe.name}`);
  const folder = join(CACHE, 'images/context', recipe.name);
  stageSources([...recipe.sources, ...(await fetched(recipe, context))], folder);
  try {
    await buildDockerfile(
      {
        name: referenceOf(image),
        context: folder,
        dockerfile,
        buildArgs: { [recipe.base.argument]: base },
        keepsLayers: recipe.keepsLayers ?? false,
      },
      { log: context.log, onLine: context.doing },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { ...image, isNew: true };
}

/** What an image has beside the files of the work tree. */
async function fetched(
  { workspace, postgresClients: hasClients }: Recipe,
  context: StepContext,
): Promise<readonly Source[]> {
  const packages = workspace === undefined ? [] : [await packageSource(workspace, context)];
  const clients =
    hasClients === true
      ? [{ from: await postgresClients(hostArchitecture(), context), to: 'clients', whole: true }]
      : [];
  return [...packages, ...clients];
}
