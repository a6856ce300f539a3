import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../local/village/paths.ts';

/** The folder of the manifest and the lock of an area's peers. */
export const peersOf = (area: string): string => join(import.meta.dirname, 'peers', area);

const OUTPUT_BYTES = 64 << 20;
/** Copies the manifest and its lock into the folder, and installs exactly the versions of the lock. */
const INSTALL = `test -e "$1/done" || {
  rm -rf "$1" && mkdir -p "$1" && cp "$2/package.json" "$2/package-lock.json" "$1/" &&
  cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch done; }`;

/**
 * The folder with the packages of the peers of an area, in the cache that all checkouts share. If missing, it is installed from
 * the lock file; a lock makes concurrent calls wait for each other.
 */
export async function peerPackages(area: string, megabytes: number): Promise<string> {
  const peers = peersOf(area);
  const version = createHash('sha256')
    .update(await readFile(join(peers, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16);
  const folder = join(CACHE, 'bench', `${area}-peers-${version}`);
  if (existsSync(join(folder, 'done'))) return folder;
  console.log(`installing the peers into ${folder} (about ${megabytes} MB)`);
  await mkdir(join(CACHE, 'bench'), { recursive: true });
  await promisify(execFile)('flock', [`${folder}.lock`, 'bash', '-c', INSTALL, 'install', folder, peers], {
    maxBuffer: OUTPUT_BYTES,
  });
  return folder;
}
