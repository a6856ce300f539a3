/**
 * Removes images and packages that builds no longer need: every change of the sources makes new ones, of about 1.5 GB
 * together.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CACHE } from '../paths.ts';
import type { StepContext } from '../steps.ts';
import { buildah, tryBuildah } from './buildah.ts';

/** Number of versions of each image and package folder that stay for other checkouts and the previous version. */
const KEPT = 3;

/** Maximum number of images that one build removes, because each takes seconds; the next build removes more. */
const AT_ONCE = 8;

const Listed = z.array(z.object({ names: z.array(z.string()).nullish(), created: z.number() }));

export interface Version {
  /** The name without its version, for example an image without its tag. */
  readonly family: string;
  readonly name: string;
  readonly created: number;
}

/** Names of the versions beyond the newest ones of each family. Pure. */
export function oldVersions(versions: readonly Version[], kept: number): readonly string[] {
  const families = Object.values(Object.groupBy(versions, ({ family }) => family));
  return families.flatMap((family = []) =>
    family
      .toSorted((a, b) => b.created - a.created)
      .slice(kept)
      .map(({ name }) => name),
  );
}

async function images(context: StepContext): Promise<readonly Version[]> {
  const listed = Listed.parse(JSON.parse(await buildah(['images', '--json'], context)));
  return listed.flatMap(({ names, created }) =>
    (names ?? [])
      .filter((name) => name.includes('/hamlet/'))
      .map((name) => ({ family: name.slice(0, name.lastIndexOf(':')), name, created })),
  );
}

/** Folders are named WORKSPACE-HASH. */
function packageFolders(folder: string): readonly Version[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.part'))
    .map((name) => ({
      family: name.slice(0, name.lastIndexOf('-')),
      name,
      created: statSync(join(folder, name)).mtimeMs,
    }));
}

/** Removes old images with their layers, and old package folders, if one of the images is new. */
export async function removeOldImages(
  built: readonly { readonly isNew: boolean }[],
  context: StepContext,
): Promise<void> {
  if (!built.some(({ isNew }) => isNew)) return;
  context.doing('removing old images');
  const old = oldVersions(await images(context), KEPT).slice(0, AT_ONCE);
  // An image that a container still uses, for example of a killed build, stays until a later build.
  for (const name of old) await tryBuildah(['rmi', name]);
  // Stages of older builds have no name.
  await tryBuildah(['rmi', '--prune']);
  const folder = join(CACHE, 'images/packages');
  for (const name of oldVersions(packageFolders(folder), KEPT))
    rmSync(join(folder, name), { recursive: true, force: true });
}
