/** Where the village's files are: the work tree, the state of one checkout, and the cache that all checkouts share. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The work tree. */
export const ROOT = resolve(import.meta.dirname, '../..');
/** What one checkout remembers between commands: secrets, logs, up.json. Never tracked. */
export const STATE = join(ROOT, '.hamlet');
/** Built things, named by a hash of their inputs, outside the tree so that every clone shares them. */
export const CACHE = process.env['HAMLET_CACHE'] ?? join(homedir(), '.cache', 'hamlet');
export const NODE = join(ROOT, 'node_modules/.bin/node');

/** A file in the state folder, whose folder exists after the call. */
export function stateFile(...names: string[]): string {
  const file = join(STATE, ...names);
  mkdirSync(resolve(file, '..'), { recursive: true, mode: 0o700 });
  return file;
}
