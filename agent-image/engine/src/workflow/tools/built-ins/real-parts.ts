import { lstat, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { partsOf } from '../workspace-path.ts';
import { denial, isSystemError } from './tool-fault.ts';

/**
 * The parts of the place to which a path leads, links resolved; those at its end may not exist yet. Rejects with the denial
 * `path_outside_root` if it leads out. The result holds for the moment of the call: `inFolder` then admits no link any more.
 */
export async function realParts(root: string, path: string): Promise<readonly string[]> {
  const read = partsOf(path);
  if (!read.ok) throw denial('path_outside_root', read.message);
  const { parts } = read;
  for (let count = parts.length; ; count -= 1) {
    const real = await resolved(root, { path, parts: parts.slice(0, count) });
    if (real !== null) return [...real, ...parts.slice(count)];
  }
}

type Asked = Readonly<{ path: string; parts: readonly string[] }>;

/** Null if nothing is there. The root always exists. */
async function resolved(root: string, { path, parts }: Asked): Promise<readonly string[] | null> {
  const asked = join(root, ...parts);
  const real = await realOf(asked);
  if (real === null) {
    // A link whose target is missing would be created where it leads.
    if (parts.length > 0 && (await isLink(asked)))
      throw denial('path_outside_root', `${path} is a link to a place that does not exist: name the place itself.`);
    return null;
  }
  if (real === root) return [];
  const inside = relative(root, real);
  if (inside.split(sep)[0] === '..' || inside.startsWith(sep) || !real.startsWith(root === sep ? sep : `${root}${sep}`))
    throw denial('path_outside_root', `${path} leads out of the workspace by a link: name a path in it.`);
  return inside.split(sep);
}

async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return null;
    if (isSystemError(error, 'ELOOP')) throw denial('path_outside_root', 'The path is a link that leads to itself.');
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}
