import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MODEL_VARIABLES } from '../door/model-keys.ts';
import { withHands, type HandsClient } from './hands-client.ts';
import { ProcessRecord, type EndedProcess } from './process-record.ts';

export interface ProcessPlace {
  readonly run: string;
  readonly call: string;
}

/** Extra variables for the processes of a place, for example those for the pod's proxy. */
export type EnvironmentOf = (place: ProcessPlace) => Readonly<Record<string, string>>;

export interface NewProcess {
  /** Unique among the processes of the hands: a repeated start has no effect. At most 64 letters, digits, `.`, `_`, `:`, `-`. */
  readonly id: string;
  /** Processes of one owner end together; the run by default. */
  readonly owner?: string;
  readonly place: ProcessPlace;
  readonly argv: readonly string[];
  readonly cwd: string;
  /**
   * Added to the variables of the container. The variables of the place override these, except the variables of a
   * model.
   */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly openStdin?: boolean;
  readonly limits: { readonly timeoutMs: number; readonly outputBytes?: number };
}

export function placeEnvironment(place: ProcessPlace, environmentOf: EnvironmentOf): Readonly<Record<string, string>> {
  return { ...environmentOf(place), HAMLET_RUN: place.run, HAMLET_CALL: place.call };
}

/** The id of a call's process. All attempts of the call share it. */
export const processIdOf = ({ run, call }: ProcessPlace): string => `${run}.${call}`;

/** Starts a process in the hands. All processes of an agent start here. Rejects with `HandsError`. */
export function startProcess(
  hands: HandsClient,
  { id, owner, place, argv, cwd, env, stdin, openStdin, limits }: NewProcess,
  environmentOf: EnvironmentOf,
): Promise<ProcessRecord> {
  const spec = {
    process: id,
    owner: owner ?? place.run,
    argv,
    cwd,
    env: { ...env, ...placeEnvironment(place, environmentOf), ...ownModelIn(env) },
    ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin).toString('base64') }),
    ...(openStdin === undefined ? {} : { openStdin }),
    limits,
  };
  return hands.ask('exec', spec, ProcessRecord);
}

/** The variables with which a program was given a model of its own, which it then uses instead of the village's. */
const ownModelIn = (env: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => MODEL_VARIABLES.has(name)));

const WAIT_MS = 60_000;
const KILL_GRACE_MS = 500;

/**
 * Waits for the end of a process. If the signal aborts, the process ends with everything that it started, within 2 s. Rejects
 * with `HandsError`, for example `no_such_process`.
 */
export async function untilEnded(hands: HandsClient, id: string, signal: AbortSignal): Promise<EndedProcess> {
  const kill = (): void => void endProcess(hands, id).catch(() => {});
  if (signal.aborted) kill();
  else signal.addEventListener('abort', kill, { once: true });
  try {
    for (;;) {
      const { exit, ...record } = await hands.ask('wait', { process: id, timeoutMs: WAIT_MS }, ProcessRecord);
      if (exit !== undefined) return { ...record, exit };
    }
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

export function endProcess(hands: HandsClient, id: string, graceMs = KILL_GRACE_MS): Promise<ProcessRecord> {
  return hands.ask('kill', { process: id, graceMs }, ProcessRecord);
}

/** A program that answers a question of the resident and belongs to no run. */
export interface AsideProcess {
  readonly name: string;
  readonly argv: readonly string[];
  readonly outputBytes: number;
  readonly environmentOf: EnvironmentOf;
}

const ASIDE_MS = 10_000;

/** Runs a program to its end, uses its result, and ends everything that it started. Rejects with `HandsError`. */
export const runAside = <T>(
  socket: string,
  { name, argv, outputBytes, environmentOf }: AsideProcess,
  use: (ended: EndedProcess, hands: HandsClient) => T | Promise<T>,
): Promise<T> =>
  withHands(socket, async (hands) => {
    const owner = `${name}.${randomUUID().slice(0, 8)}`;
    try {
      const place = { run: name, call: name };
      const limits = { timeoutMs: ASIDE_MS, outputBytes };
      await startProcess(hands, { id: owner, owner, place, argv, cwd: '/', limits }, environmentOf);
      return await use(await untilEnded(hands, owner, new AbortController().signal), hands);
    } finally {
      await hands.ask('close', { owner }, z.unknown()).catch(() => {});
    }
  });
