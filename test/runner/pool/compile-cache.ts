/** The compile cache of a run. Its processes load much the same modules, so only the first strips and compiles each. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE } from '../../../local/village/paths.ts';

/** Loads the modules of a resident. Tests kill residents, and a killed process writes nothing to the cache. */
const FILL = join(import.meta.dirname, '../../../agent-image/resident/src/process/fill-compile-cache.ts');
const VARIABLE = 'NODE_COMPILE_CACHE';
const FILL_MS = 60_000;

let folder = process.env[VARIABLE];

/** The variable by which a process finds the cache: the caller's own, or one that lasts until this process ends. */
export function compileCache(): Readonly<Record<typeof VARIABLE, string>> {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'hamlet-compiled-'));
    folder = made;
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  return { [VARIABLE]: folder };
}

/** Writes the modules of residents to the cache. The tests also run without them, more slowly. */
export async function fillCompileCache(): Promise<void> {
  const options = { env: { ...process.env, ...compileCache() }, timeout: FILL_MS };
  await promisify(execFile)(NODE, [FILL], options).catch((error: unknown) =>
    console.error('the compile cache of residents could not be filled, so their starts take longer:', error),
  );
}
