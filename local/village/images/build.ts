/**
 * Builds the images whose inputs changed. The tag of an image is a hash of its inputs, so an
 * existing tag is never built again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, ROOT } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { ensureAgentBase } from './agent-base.ts';
import { ensureBases } from './base.ts';
import { buildDockerfile, hasImage } from './buildah.ts';
import { hostArchitecture } from './architecture.ts';
import { handsProgram } from './hands.ts';
import { hashSources, stageSources, type Source } from './context.ts';
import { packageSource } from './packages.ts';
import { postgresClients, postgresClientsId } from './postgres-clients.ts';
import { IMAGE_NAMES, recipeOf, type ImageName, type Recipe, type ToolSet } from './recipe.ts';

export interface BuiltImage {
  readonly name: ImageName;
  readonly tag: string;
  /** True if this call built the image; false if it existed. */
  readonly isNew: boolean;
}

export function referenceOf(image: Pick<BuiltImage, 'name' | 'tag'>): string {
  return `docker.io/hamlet/${image.name}:${image.tag}`;
}

/** The images to build; by default all, with the full tools for agents. */
export interface ImageChoice {
  readonly names?: readonly ImageName[];
  readonly tools?: ToolSet;
}

/** Builds the images that the storage does not have. */
export async function buildImages(
  context: StepContext,
  { names = IMAGE_NAMES, tools = 'full' }: ImageChoice = {},
): Promise<readonly BuiltImage[]> {
  const bases = await ensureBases(context);
  const built: BuiltImage[] = [];
  for (const name of names) {
    const recipe = recipeOf(name, process.arch);
    const base =
      recipe.base.image === 'agent' ? await ensureAgentBase(tools, bases.node, context) : bases[recipe.base.image];
    built.push(await buildImage(recipe, base, context));
  }
  return built;
}

async function buildImage(recipe: Recipe, base: string, context: StepContext): Promise<BuiltImage> {
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
        // The context already has the compiled program, so the stage that GO_IMAGE names needs no Go.
        buildArgs: { [recipe.base.argument]: base, ...(recipe.hands === true ? { GO_IMAGE: base } : {}) },
      },
      context,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { ...image, isNew: true };
}

/** Sources of an image that are not in the work tree: npm packages, the clients of Postgres and Go programs. */
async function fetched(
  { workspaces, postgresClients: hasClients, hands: hasHands }: Recipe,
  context: StepContext,
): Promise<readonly Source[]> {
  const packages = workspaces === undefined ? [] : [await packageSource(workspaces, context)];
  const clients =
    hasClients === true
      ? [{ from: await postgresClients(hostArchitecture(), context), to: 'clients', whole: true }]
      : [];
  const hands =
    hasHands === true
      ? [{ from: await handsProgram(hostArchitecture(), context), to: 'agent-image/supervisor/bin', whole: true }]
      : [];
  return [...packages, ...clients, ...hands];
}
