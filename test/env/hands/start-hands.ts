/** The supervisor of the hands as a separate process, as in a pod but without a container. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { GO_FLAGS } from '../../../local/village/go-flags.ts';
import { until } from '../until.ts';

const SOURCE = resolve(import.meta.dirname, '../../../agent-image/supervisor');

export interface Hands {
  readonly socket: string;
  /** A folder for the work of programs. */
  readonly workspace: string;
  /** Kills the supervisor and all its programs, like the kernel when the first process of a container ends. */
  kill(): Promise<void>;
  /** Kills the supervisor and starts it again in the same folder, like the kubelet. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** The program of the supervisor, built once for all test files of a process. */
let built: Promise<string> | undefined;

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-supervisor-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'hamlet-hands');
  await promisify(execFile)('go', ['build', ...GO_FLAGS, '-o', program, './cmd/hamlet-hands'], { cwd: SOURCE });
  return program;
}

/**
 * Starts the supervisor. `layerBytes` limits the workspace as if it were the container's own disk; no limit by default.
 */
export async function startHands({ layerBytes = 0 }: { readonly layerBytes?: number } = {}): Promise<Hands> {
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-hands-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const program = await (built ??= build());
  // As in a pod, where the folder of the socket is a volume in memory.
  const shared = mkdtempSync('/dev/shm/hamlet-hands-');
  const socket = join(shared, 'hands.sock');
  const serve = async (): Promise<ChildProcess> => {
    rmSync(socket, { force: true });
    const layer = ['--layer', workspace, '--layer-bytes', String(layerBytes)];
    const args = ['serve', '--folder', shared, '--output', join(folder, 'output'), ...layer];
    const started = spawn(program, args, { stdio: 'ignore' });
    await ready(started, socket);
    return started;
  };
  let child = await serve();
  const kill = async (): Promise<void> => {
    const programs = child.pid === undefined ? [] : programsUnder(child.pid);
    await endOf(child, 'SIGKILL');
    for (const pid of programs) endProgram(pid);
  };
  return {
    socket,
    workspace,
    kill,
    restart: async () => {
      await kill();
      child = await serve();
    },
    remove: async () => {
      await endOf(child, 'SIGTERM');
      for (const each of [folder, shared]) rmSync(each, { recursive: true, force: true });
    },
  };
}

/** Waits until the supervisor takes connections: its socket exists a moment before that. */
async function ready(child: ChildProcess, socket: string): Promise<void> {
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the supervisor of the hands ended with code ${code}`);
  });
  died.catch(() => {});
  const answers = until('the supervisor of the hands takes connections', () => accepts(socket), { pauseMs: 20 });
  await Promise.race([answers, died]);
}

async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** All descendants of a process. */
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
