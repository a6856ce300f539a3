import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '@hamlet/dev';
import { openGuard } from './guard.ts';

const PREFIX = 'hamlet-bench-operator-';
/** An environment variable that marks all processes of a run; their children inherit it. */
const MARK = 'HAMLET_BENCH_RUN';

/** Removes the remains of a run: $1 its folder, $2 hamlet-cluster. It finds processes by the mark, never by name. */
const CLEAR = `
trap '' INT TERM HUP
for state in "$1"/*/state; do [ -d "$state" ] && "$2" down --state "$state" >/dev/null 2>&1; done
for process in /proc/[0-9]*; do
  tr '\\0' '\\n' <"$process/environ" 2>/dev/null | grep -qx "${MARK}=$1" && kill -KILL "\${process#/proc/}" 2>/dev/null
done
rm -rf "$1"
`;

export interface RunFolder {
  readonly path: string;
  /** Ends the processes of the run and removes its folder. */
  clear(): Promise<void>;
}

/** Folders of runs that were never cleaned up, because the machine went down. */
function abandoned(): readonly string[] {
  const folders = readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name));
  return folders.filter(
    (folder) => existsSync(join(folder, 'pid')) && !isAlive(Number(readFileSync(join(folder, 'pid'), 'utf8'))),
  );
}

/** Creates the folder, removes the remains of earlier runs, and ensures that this run leaves none. */
export function openRunFolder(bin: string): RunFolder {
  const hamletCluster = join(bin, 'hamlet-cluster');
  for (const folder of abandoned()) execFileSync('/bin/sh', ['-c', CLEAR, 'clear', folder, hamletCluster]);
  const path = mkdtempSync(join(tmpdir(), PREFIX));
  // Postgres runs as another user in this folder.
  chmodSync(path, 0o755);
  writeFileSync(join(path, 'pid'), String(process.pid));
  const guard = openGuard(CLEAR, [path, hamletCluster], { ...process.env });
  process.env[MARK] = path;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
  return {
    path,
    clear: async () => {
      await guard.clear();
      // The guard itself must not carry the mark.
      delete process.env[MARK];
    },
  };
}
