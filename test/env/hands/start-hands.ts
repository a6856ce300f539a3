/** The supervisor of the hands as a process of its own, as in a pod but for the container. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const SOURCE = resolve(import.meta.dirname, '../../../agent-image/supervisor');
const READY_MS = 20_000;

export interface Hands {
  readonly socket: string;
  /** A folder for the work of programs. */
  readonly workspace: string;
  /** Ends the supervisor and all its programs with SIGKILL, as the kernel does with a container whose first process is gone. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

/** Builds and starts the supervisor. */
export async function startHands(): Promise<Hands> {
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-hands-'));
  const [program, workspace] = [join(folder, 'hamlet-hands'), join(folder, 'workspace')];
  mkdirSync(workspace);
  await promisify(execFile)('go', ['build', '-o', program, './cmd/hamlet-hands'], { cwd: SOURCE });
  const child = spawn(program, ['serve', '--folder', folder, '--output', join(folder, 'output')], { stdio: 'ignore' });
  const socket = join(folder, 'hands.sock');
  for (let waited = 0; !existsSync(socket); waited += 20) {
    if (waited > READY_MS || child.exitCode !== null) throw new Error('the supervisor of the hands does not start');
    await delay(20);
  }
  return {
    socket,
    workspace,
    kill: async () => {
      const programs = child.pid === undefined ? [] : programsUnder(child.pid);
      await endOf(child, 'SIGKILL');
      for (const pid of programs) endProgram(pid);
    },
    remove: async () => {
      await endOf(child, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** Processes that the threads of a process started, with those that they started. */
function programsUnder(pid: number): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
    const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
    return children.flatMap((child) => [child, ...programsUnder(child)]);
  } catch {
    return [];
  }
}

function endProgram(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
