import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { measured, type MeasuredProcess } from './measured-process.ts';

const MODULE = resolve(import.meta.dirname, '../../agent-image/supervisor');
const READY_TRIES = 600;
const READY_PAUSE_MS = 50;

/** Builds the supervisor of the hands as its image does, and starts it with its socket in the folder. */
export async function startHands(folder: string): Promise<Pick<MeasuredProcess, 'rssMb' | 'end'>> {
  const program = join(folder, 'hamlet-hands');
  await promisify(execFile)('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', program, './cmd/hamlet-hands'], {
    cwd: MODULE,
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  const run = join(folder, 'hands');
  await mkdir(run);
  const child = spawn(program, ['serve', '--folder', run, '--output', join(run, 'output')], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  for (let tries = 0; !existsSync(join(run, 'hands.sock')); tries += 1) {
    if (child.exitCode !== null || tries === READY_TRIES) throw new Error('hamlet-hands did not become ready');
    await sleep(READY_PAUSE_MS);
  }
  return measured(child);
}
