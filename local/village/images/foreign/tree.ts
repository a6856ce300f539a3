/** Walks a folder that is an image's root. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

export interface TreeEntry {
  /** Absolute within the image: `/usr/bin/env`. */
  readonly path: string;
  readonly stats: Stats;
}

/** Everything below a root, folders before what is in them; links are not followed. */
export function* walkTree(root: string, within = ''): Generator<TreeEntry> {
  for (const name of readdirSync(join(root, within)).toSorted()) {
    const path = `${within}/${name}`;
    const stats = lstatSync(join(root, path));
    yield { path, stats };
    if (stats.isDirectory()) yield* walkTree(root, path);
  }
}
