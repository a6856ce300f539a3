import { RunDelta } from '@hamlet/contract';
import { findRun, type RunRow } from '@hamlet/store';
import type { Services } from '../service/services.ts';
import type { RunWatch } from './run-watch.ts';

/** Bytes of text that one answer may publish in a second; more is dropped. */
export const DELTA_BYTES_PER_S = 64 << 10;
/** Longest text of one delta, in UTF-16 units; a longer piece is split. */
const TEXT_MAX_CHARS = 4_096;
/** Maximum number of deltas that wait for Redis; more are dropped. */
const IN_FLIGHT_MAX = 256;
const READERS_MAX = 1_000;

/** One model request for a run. `lease`: the attempt of the run, if the agent names it. */
export interface DeltaSource {
  readonly runId: string;
  readonly agentUid: string;
  readonly cycle: number;
  readonly lease?: number | undefined;
  readonly ask: number;
  readonly attempt: number;
}

export interface DeltaPublisher {
  /** Aborts when the run is cancelled, ends, or loses its lease: then nothing may be streamed for it. */
  readonly signal: AbortSignal;
  /** Publishes text of the answer. Never blocks: it drops excess text, and everything after `signal` aborted. */
  publish(text: string): void;
  close(): void;
}

/** `not_running`: the agent does not work on that run under this cycle and lease. */
export type OpenedDeltas =
  | { readonly kind: 'open'; readonly publisher: DeltaPublisher }
  | { readonly kind: 'refused'; readonly reason: 'no_such_run' | 'run_settled' | 'not_running' };

interface DeltaPorts extends Pick<Services, 'db' | 'link' | 'monotonicMs' | 'log'> {
  readonly watch: Pick<RunWatch, 'watch'>;
}

const channelOf = (runId: string): string => `run-delta:${runId}`;

function refusalOf(run: RunRow | null, source: DeltaSource): Exclude<OpenedDeltas, { kind: 'open' }>['reason'] | null {
  if (run === null || run.agentUid !== source.agentUid) return 'no_such_run';
  if (run.endedAt !== null || run.cancelRequestedAt !== null) return 'run_settled';
  const held = run.state === 'running' && run.cycle === source.cycle;
  return held && (source.lease === undefined || source.lease === run.attempt) ? null : 'not_running';
}

/** Allows a number of bytes in each second of a monotonic clock. Stateful, because it counts. */
function byteBudget(monotonicMs: () => number): (bytes: number) => boolean {
  let secondMs = -Infinity;
  let used = 0;
  return (bytes) => {
    const nowMs = monotonicMs();
    if (nowMs - secondMs >= 1_000) [secondMs, used] = [nowMs, 0];
    if (used + bytes > DELTA_BYTES_PER_S) return false;
    used += bytes;
    return true;
  };
}

function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += TEXT_MAX_CHARS) yield text.slice(from, from + TEXT_MAX_CHARS);
}

function createPublisher(ports: DeltaPorts, source: DeltaSource): DeltaPublisher {
  const { db, link, monotonicMs, watch, log } = ports;
  const { runId, ask, attempt } = source;
  const stopping = new AbortController();
  const allows = byteBudget(monotonicMs);
  let inFlight = 0;
  const check = async (): Promise<void> => {
    if (refusalOf(await findRun(db, runId), source) !== null) stopping.abort();
  };
  const unwatch = watch.watch(runId, () => {
    check().catch((error: unknown) =>
      log('debug', 'a run with a streamed answer could not be read; the API retries', { error }),
    );
  });
  return {
    signal: stopping.signal,
    publish: (text) => {
      for (const piece of pieces(text)) {
        if (stopping.signal.aborted || inFlight >= IN_FLIGHT_MAX || !allows(Buffer.byteLength(piece))) return;
        inFlight += 1;
        const delta: RunDelta = { run_id: runId, ask, attempt, text: piece };
        void link.publish(channelOf(runId), JSON.stringify(delta)).finally(() => (inFlight -= 1));
      }
    },
    close: unwatch,
  };
}

/** Passes models' text to people over Redis. The text is never stored, and losing it is acceptable. */
export function createRunDeltas(ports: DeltaPorts) {
  const { db, link, log } = ports;
  const readers = new Map<string, Set<(delta: RunDelta) => void>>();

  function deliver(runId: string, message: string): void {
    const delta = RunDelta.safeParse(JSON.parse(message));
    if (!delta.success || delta.data.run_id !== runId)
      log('error', 'a delta is invalid and was dropped', { run_id: runId });
    else for (const reader of readers.get(runId) ?? []) reader(delta.data);
  }

  return {
    open: async (source: DeltaSource): Promise<OpenedDeltas> => {
      const reason = refusalOf(await findRun(db, source.runId), source);
      if (reason !== null) return { kind: 'refused', reason };
      return { kind: 'open', publisher: createPublisher(ports, source) };
    },
    subscribe: (runId: string, reader: (delta: RunDelta) => void) => {
      const present = readers.get(runId);
      const own = present ?? new Set();
      if (own.size >= READERS_MAX) return () => undefined;
      readers.set(runId, own.add(reader));
      if (present === undefined) void link.subscribe(channelOf(runId), (message) => deliver(runId, message));
      return () => {
        own.delete(reader);
        if (own.size > 0 || readers.get(runId) !== own) return;
        readers.delete(runId);
        void link.unsubscribe(channelOf(runId));
      };
    },
  };
}

export type RunDeltas = ReturnType<typeof createRunDeltas>;
