/** Folders: the work tree, the state of one checkout, and the cache that all checkouts share. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
/** State of this checkout between commands: secrets, logs, up.json. Not in git. */
export const STATE = join(ROOT, '.hamlet');
/** Build results, named by a hash of their inputs; outside of the tree, so that all clones share them. */
export const CACHE = process.env['HAMLET_CACHE'] ?? join(homedir(), '.cache', 'hamlet');
/** All data of the local cluster. A machine has one, which its checkouts share. */
export const CLUSTER_FOLDER = '/var/lib/hamlet-cluster';
export const NODE = join(ROOT, 'node_modules/.bin/node');

export function stateFile(...names: string[]): string {
  const file = join(STATE, ...names);
  mkdirSync(resolve(file, '..'), { recursive: true, mode: 0o700 });
  return file;
}
