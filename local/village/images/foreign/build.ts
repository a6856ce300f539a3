import { join } from 'node:path';
import { ROOT } from '../../paths.ts';
import type { StepContext } from '../../steps.ts';
import { hostArchitecture, type Architecture } from '../architecture.ts';
import { ensureBases } from '../base.ts';
import { ensureAgentBase } from '../agent-base.ts';
import { buildImages, referenceOf, type BuiltImage, type ImageChoice } from '../build.ts';
import { hasImage } from '../buildah.ts';
import { hashSources } from '../context.ts';
import { removeOldImages } from '../old-images.ts';
import { recipeOf } from '../recipe.ts';
import { transpose } from './transpose.ts';

/**
 * Builds the images that the storage does not have, and removes old ones. Images for another architecture are derived
 * from those for this machine.
 */
export async function buildImagesFor(
  architecture: Architecture,
  context: StepContext,
  choice: ImageChoice = {},
): Promise<readonly BuiltImage[]> {
  const natives = await buildImages(context, choice);
  const built =
    architecture === hostArchitecture() ? natives : await transposeAll(natives, architecture, { context, choice });
  await removeOldImages([...natives, ...built], context);
  return built;
}

async function transposeAll(
  natives: readonly BuiltImage[],
  architecture: Architecture,
  { context, choice }: { readonly context: StepContext; readonly choice: ImageChoice },
): Promise<readonly BuiltImage[]> {
  const bases = await ensureBases(context);
  const debian = await ensureBase(bases.debian, architecture, { base: undefined, context });
  const node = await ensureBase(bases.node, architecture, { base: debian, context });
  const baseOf = async (image: 'debian' | 'node' | 'agent'): Promise<string> => {
    if (image !== 'agent') return image === 'node' ? node : debian;
    const agent = await ensureAgentBase(choice.tools ?? 'full', bases.node, context);
    return ensureBase(agent, architecture, { base: node, context });
  };
  const built: BuiltImage[] = [];
  for (const native of natives) {
    const { base, workspaces } = recipeOf(native.name, architecture);
    const image = { name: native.name, tag: tagFor(referenceOf(native), architecture) };
    const isNew = !(await hasImage(referenceOf(image)));
    if (isNew)
      await transpose(
        {
          native: referenceOf(native),
          architecture,
          name: referenceOf(image),
          base: await baseOf(base.image),
          workspaces,
        },
        context,
      );
    built.push({ ...image, isNew });
  }
  return built;
}

async function ensureBase(
  native: string,
  architecture: Architecture,
  { base, context }: { base: string | undefined; context: StepContext },
): Promise<string> {
  const name = `${native.replace(/:.*/, '')}-${architecture}:${tagFor(native, architecture)}`;
  if (!(await hasImage(name))) await transpose({ native, architecture, name, base }, context);
  return name;
}

/** A hash of the native image and of the code that transposes it. */
function tagFor(native: string, architecture: Architecture): string {
  const code = ['local/village/images/foreign', 'local/village/images/architecture.ts'].map((path) => ({
    from: join(ROOT, path),
    to: path,
  }));
  return hashSources(code, [native, architecture]);
}
