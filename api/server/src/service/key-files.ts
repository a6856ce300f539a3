import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Secret's new value takes about a minute to reach the files of a pod, so this cache adds little delay. */
const FRESH_MS = 5_000;
/** The form of the names that a configuration accepts: no name leads out of the folder. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export type KeySource = (name: string) => string | null;

function keyIn(folder: string, name: string): string | null {
  try {
    const key = readFileSync(join(folder, name), 'utf8').trim();
    return key === '' ? null : key;
  } catch {
    return null;
  }
}

/** The keys in the files of a folder. A changed file is used after five seconds, without a restart. */
export function keyFiles(folder: string | undefined, monotonicMs: () => number): KeySource {
  const read = new Map<string, { readonly key: string | null; readonly atMs: number }>();
  return (name) => {
    if (folder === undefined || !NAME.test(name)) return null;
    const before = read.get(name);
    if (before !== undefined && monotonicMs() - before.atMs < FRESH_MS) return before.key;
    const key = keyIn(folder, name);
    read.set(name, { key, atMs: monotonicMs() });
    return key;
  };
}
