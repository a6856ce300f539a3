import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { startLocal } from '@hamlet/dev';

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Any process, such as a ChildProcess. A process that has not started has no figures. */
interface Running {
  readonly pid?: number | undefined;
}

function memoryMb({ pid }: Running, field: 'VmRSS' | 'VmHWM'): number {
  const [, kib] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib ?? Number.NaN) / 1_024;
}

/** Resident memory now, in MiB. */
export const rssMbOf = (running: Running): number => memoryMb(running, 'VmRSS');

/** The largest resident memory so far, in MiB. */
export const peakRssMbOf = (running: Running): number => memoryMb(running, 'VmHWM');

/** Processor time so far, in seconds. */
export function cpuSecondsOf({ pid }: Running): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** True if the URL answers with a status of success. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts a program of Node, and waits until the URL answers. Returns the id of its process. */
export async function startNode(
  ends: AsyncDisposableStack,
  args: readonly string[],
  { env, ready }: { readonly env: NodeJS.ProcessEnv; readonly ready: string },
): Promise<number> {
  const local = await startLocal({ file: process.execPath, args, options: { env }, ready: () => answers(ready) });
  ends.defer(() => local.stop());
  return local.pid;
}

/** Starts a server in a process of its own, and waits for its port, which it sends. */
export function forkServer(
  ends: AsyncDisposableStack,
  file: string,
  args: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  process.once('exit', () => child.kill('SIGKILL'));
  ends.defer(() => void child.kill('SIGKILL'));
  return new Promise((done, fail) => {
    child.once('message', (port) => done({ child, port: Number(port) }));
    child.once('exit', (code) => fail(new Error(`${file} ended with code ${String(code)}`)));
  });
}
