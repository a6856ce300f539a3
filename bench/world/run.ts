import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../report.ts';
import type { FromServer, FromViewers, ServerKind, ToServer, ToViewers } from './ipc.ts';
import type { Setting } from './setting.ts';

const LIMIT_MS = 120_000;
const TRUTHS = 8;
/** Time in which viewers collect updates before the first check. */
const REMEMBER_MS = 1500;

export interface RunResult {
  readonly bytesPerViewerPerSecond: number;
  readonly bytesPerPanningViewerPerSecond: number;
  readonly serverCpuCore: number;
  readonly deliveryP50Ms: number;
  readonly deliveryP99Ms: number;
  readonly rssMb: number;
  readonly notes: Readonly<Record<string, number>>;
  readonly fidelity: Omit<Extract<FromViewers, { type: 'fidelity' }>, 'type'> | null;
}

type Answer = FromServer | FromViewers;

/** A child process and its next message of a type. */
class Child {
  readonly #process: ChildProcess;

  constructor(file: string, args: readonly string[]) {
    this.#process = fork(join(import.meta.dirname, file), [...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    process.once('exit', () => this.#process.kill('SIGKILL'));
  }

  post(message: ToServer | ToViewers): void {
    this.#process.send(message);
  }

  next<T extends Answer['type']>(type: T): Promise<Extract<Answer, { type: T }>> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no ${type} within ${LIMIT_MS} ms`)), LIMIT_MS);
      const ended = (code: number | null): void =>
        reject(new Error(`the child ended with code ${code} before its ${type}`));
      const onMessage = (message: Answer): void => {
        if (message.type !== type) return;
        clearTimeout(late);
        this.#process.off('message', onMessage);
        this.#process.off('exit', ended);
        resolve(message as Extract<Answer, { type: T }>);
      };
      this.#process.on('message', onMessage);
      this.#process.on('exit', ended);
    });
  }

  stop(): void {
    this.#process.removeAllListeners('exit');
    this.#process.kill('SIGKILL');
  }
}

/**
 * Milliseconds from the start of each update to each receipt of it. A receipt without a tick belongs to the update
 * before it.
 */
function deliveries(
  flushes: readonly (readonly [number, number])[],
  receipts: readonly (readonly [number, number])[],
  byTick: boolean,
): number[] {
  const starts = new Map(flushes);
  const ordered = flushes.map(([, startMs]) => startMs);
  let at = 0;
  const startOf = (atMs: number): number | undefined => {
    while ((ordered[at + 1] ?? Number.POSITIVE_INFINITY) <= atMs) at += 1;
    return ordered[at];
  };
  return receipts.flatMap(([tick, atMs]) => {
    const startMs = byTick ? starts.get(tick) : startOf(atMs);
    return startMs === undefined || atMs < startMs ? [] : [atMs - startMs];
  });
}

async function checkFidelity(server: Child, viewers: Child): Promise<RunResult['fidelity']> {
  viewers.post({ type: 'remember' });
  await sleep(REMEMBER_MS);
  let total = { compared: 0, worstTiles: 0, worstDrawnTiles: 0, missing: 0, extra: 0 };
  for (let truth = 0; truth < TRUTHS; truth += 1) {
    const sampled = server.next('truth');
    server.post({ type: 'truth' });
    const compared = viewers.next('fidelity');
    viewers.post(await sampled);
    const { worstTiles, worstDrawnTiles, ...counts } = await compared;
    total = {
      compared: total.compared + counts.compared,
      missing: total.missing + counts.missing,
      extra: total.extra + counts.extra,
      worstTiles: Math.max(total.worstTiles, worstTiles),
      worstDrawnTiles: Math.max(total.worstDrawnTiles, worstDrawnTiles),
    };
  }
  return total;
}

/** Starts a server and its viewers, measures, and stops both. */
export async function run(kind: ServerKind, setting: Setting): Promise<RunResult> {
  const json = JSON.stringify(setting);
  const server =
    kind === 'hamlet' ? new Child('hamlet-server.ts', [json]) : new Child('colyseus/colyseus-server.ts', [kind, json]);
  let viewers: Child | null = null;
  try {
    const { port } = (await server.next('ready')) as Extract<FromServer, { type: 'ready' }>;
    viewers = new Child('viewers.ts', [kind, `http://127.0.0.1:${port}`, json]);
    await viewers.next('ready');
    await sleep(setting.warmSeconds * 1000);
    server.post({ type: 'measure' });
    viewers.post({ type: 'measure' });
    await sleep(setting.measureSeconds * 1000);
    const reports = Promise.all([server.next('report'), viewers.next('report')]);
    server.post({ type: 'report' });
    viewers.post({ type: 'report' });
    const [served, seen] = (await reports) as [
      Extract<FromServer, { type: 'report' }>,
      Extract<FromViewers, { type: 'report' }>,
    ];
    const delays = deliveries(served.flushes, seen.receipts, kind === 'hamlet');
    return {
      bytesPerViewerPerSecond: seen.stillBytes / seen.seconds,
      bytesPerPanningViewerPerSecond: seen.panningBytes / seen.seconds,
      serverCpuCore: served.cpuCore,
      deliveryP50Ms: percentile(delays, 0.5),
      deliveryP99Ms: percentile(delays, 0.99),
      rssMb: served.rssMb,
      notes: { ...served.notes, deliveries: delays.length },
      fidelity: kind === 'hamlet' ? await checkFidelity(server, viewers) : null,
    };
  } finally {
    viewers?.stop();
    server.stop();
  }
}
