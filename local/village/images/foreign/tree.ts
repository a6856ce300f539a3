import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

export interface TreeEntry {
  /** Absolute path within the image: `/usr/bin/env`. */
  readonly path: string;
  readonly stats: Stats;
}

/** All entries below a root, folders before their entries; links are not followed. */
export function* walkTree(root: string, within = ''): Generator<TreeEntry> {
  for (const name of readdirSync(join(root, within)).toSorted()) {
    const path = `${within}/${name}`;
    const stats = lstatSync(join(root, path));
    yield { path, stats };
    if (stats.isDirectory()) yield* walkTree(root, path);
  }
}
