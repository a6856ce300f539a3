import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 10_000;
const POLL_MS = 25;

/** Range of ports. Linux takes the ports of outgoing connections from 32768 up, so they never occupy a chosen port. */
const PORTS = { from: 12_000, to: 30_000 } as const;

/** The kernel kills the daemon even if this process is killed and runs no handler (prctl(2), PR_SET_PDEATHSIG). */
const DIES_WITH_PARENT = ['--pdeathsig', 'KILL', '--'] as const;

/** A port on which no process listens at the moment, and which no other caller gets while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if ((await claims(port)) && (await isFree(port))) return port;
  }
}

/**
 * Claims a port by an abstract socket (unix(7)), which the kernel drops with this process, because the program that
 * uses the port may listen seconds later. False if another process has claimed it. hamlet-cluster claims its ports in
 * the same way.
 */
async function claims(port: number): Promise<boolean> {
  const claim = createServer();
  try {
    claim.listen(`\0hamlet-port-${port}`);
    await once(claim, 'listening');
  } catch {
    return false;
  }
  claim.unref();
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

export interface LocalProcess {
  readonly pid: number;
  /** Sends the signal and waits for the end; kills the daemon after ten seconds. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface LocalProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly options?: SpawnOptions;
  readonly ready: () => Promise<boolean>;
  readonly onOutput?: (text: string) => void;
}

const running = new Set<ChildProcess>();
let hooked = false;

function endWithThisProcess(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
  if (hooked) return;
  hooked = true;
  process.once('exit', () => {
    for (const each of running) each.kill('SIGKILL');
  });
}

/** Starts a daemon and waits until it answers. Throws with the end of its output if the daemon ends before that. */
export async function startLocal(program: LocalProgram): Promise<LocalProcess> {
  const child = spawn('setpriv', [...DIES_WITH_PARENT, program.file, ...program.args], {
    ...program.options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-4_000);
    program.onOutput?.(chunk.toString());
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.once('error', (error) => keep(Buffer.from(error.message)));
  endWithThisProcess(child);
  const limit = Date.now() + READY_LIMIT_MS;
  for (;;) {
    const ready = await program.ready();
    // The exit code is checked even if the port answers, because another program may listen on that port.
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${program.file} ended at once: ${output}`);
    if (ready) break;
    if (Date.now() > limit)
      throw new Error(`${program.file} does not answer after ${READY_LIMIT_MS / 1000} s: ${output}`);
    await sleep(POLL_MS);
  }
  return { pid: child.pid ?? 0, stop: (signal = 'SIGTERM') => stopChild(child, signal) };
}

async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(killer);
}

/** Sends bytes to a loopback port. Returns the first bytes of the answer; null without an answer. */
export async function probe(port: number, send: Buffer | string): Promise<Buffer | null> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.setTimeout(1_000, () => socket.destroy(new Error('silent')));
  try {
    await once(socket, 'connect');
    socket.write(send);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer;
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}
