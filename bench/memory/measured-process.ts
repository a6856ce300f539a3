import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@hamlet/dev';
import { answers, rssMbOf } from '../programs.ts';

const READY_TRIES = 600;
const READY_PAUSE_MS = 100;

export interface MeasuredProcess {
  readonly environment: Readonly<Record<string, string>>;
  /** Resident memory now, in MiB. */
  rssMb(): number;
  end(): Promise<void>;
}

export interface MeasuredProgram {
  /** Node's flags, the same as in the image. */
  readonly flags?: readonly string[];
  /** Variables that receive a free loopback `host:port`. */
  readonly ports: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** A program that fills the compile cache with modules that are loaded late. */
  readonly fill?: string;
  /** Files of a service account, mounted for the program as in a pod; needs root. */
  readonly serviceAccountDir?: string;
  /** A URL that answers as soon as the program is ready; null for a program without such a URL. */
  readonly ready: (environment: Readonly<Record<string, string>>) => string | null;
}

/** Starts a program as its image does: with its flags and a filled compile cache. */
export async function startMeasured(main: string, program: MeasuredProgram): Promise<MeasuredProcess> {
  const listens = await Promise.all(
    program.ports.map(async (name) => [name, `127.0.0.1:${await freePort()}`] as const),
  );
  const environment = { ...program.environment, ...Object.fromEntries(listens) };
  const flags = program.flags ?? [];
  const args = [...flags, main];
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  for (const each of [...(program.fill === undefined ? [] : [program.fill]), main])
    await promisify(execFile)(process.execPath, [...flags, each, '--help'], { env });
  const [file, before] =
    program.serviceAccountDir === undefined ? [process.execPath, []] : ['unshare', asInPod(program.serviceAccountDir)];
  const child = spawn(file, [...before, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = program.ready(environment);
  for (let tries = 0; url !== null && !(await answers(url)); tries += 1) {
    if (child.exitCode !== null || tries === READY_TRIES) throw new Error(`${main} did not become ready`);
    await sleep(READY_PAUSE_MS);
  }
  return { environment, ...measured(child) };
}

/** The memory of a child, in MiB, and its end. */
export function measured(child: ChildProcess): Pick<MeasuredProcess, 'rssMb' | 'end'> {
  return {
    rssMb: () => rssMbOf(child),
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * Arguments of unshare(1) that give Node its own /run with a pod's service account. Outside of a pod the programs load
 * client-node to read a kubeconfig; client-node takes 60 MB and is absent from the image. The shell calls exec, so the
 * process keeps its id.
 */
function asInPod(dir: string): string[] {
  const mounted = '/run/secrets/kubernetes.io/serviceaccount';
  const script = `mount -t tmpfs tmpfs /run && mkdir -p ${mounted} && cp "$0"/* ${mounted}/ && exec "$@"`;
  return ['--mount', '--propagation', 'private', 'sh', '-c', script, dir, process.execPath];
}
