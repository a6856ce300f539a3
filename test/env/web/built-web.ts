import { execFileSync } from 'node:child_process';
import { existsSync, globSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const DIST = join(ROOT, 'web/dist');
/** The build writes this file last, so that an interrupted build does not count. */
const DONE = join(DIST, '.built-for-tests');
const SOURCES = [
  'web/index.html',
  'web/vite.config.ts',
  'web/public/**',
  'web/src/**',
  'api/contract/src/**',
  'api/core/src/**',
  'package-lock.json',
];

/** The folder of the web, built from its present sources. A lock keeps concurrent tests from building at the same time. */
export function builtWeb(): string {
  execFileSync('flock', [join(ROOT, 'web/vite.config.ts'), process.execPath, import.meta.filename], {
    stdio: 'inherit',
  });
  return DIST;
}

function isStale(): boolean {
  if (!existsSync(DONE)) return true;
  const builtMs = statSync(DONE).mtimeMs;
  return SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).some(
    (file) => statSync(join(ROOT, file)).mtimeMs > builtMs,
  );
}

function build(): void {
  const startedMs = Date.now();
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', join(ROOT, 'web'), '--logLevel', 'error'],
    { stdio: 'inherit' },
  );
  writeFileSync(DONE, new Date(startedMs).toISOString());
}

if (import.meta.main && isStale()) build();
