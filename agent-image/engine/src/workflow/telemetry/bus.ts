import type { ClockPort } from '../../loop/ports.ts';
import type { TelemetryEvent } from './event.ts';
import type { Redactor } from './redact.ts';

/** Maximum number of events that wait for one sink. Events that arrive while this many wait are dropped and counted. */
const MAX_WAITING = 1_000;
/** Maximum number of events in one write. */
const MAX_BATCH = 100;

/** A place that takes events, in their order. */
export type TelemetrySink = Readonly<{
  name: string;
  /** Milliseconds for which events wait for others of the same write; 0 if absent. */
  lingerMs?: number;
  /**
   * Takes at most 100 events. The bus calls it again only after it has ended. A failure loses these events and no others. The signal
   * aborts when the time of the last flush is over.
   */
  write: (events: readonly TelemetryEvent[], signal: AbortSignal) => Promise<void> | void;
  /** Ends the sink after its last write. */
  close?: () => Promise<void> | void;
}>;

/** `lost`: the number of events that a sink could not take, with the last error; `dropped`: of those that it was too slow for. */
export type SinkProblem = Readonly<{ sink: string; kind: 'lost' | 'dropped'; events: number; error: unknown }>;

type BusParts = Readonly<{
  sinks: readonly TelemetrySink[];
  redact: Redactor;
  /** Reports the first failure of a sink at once, and the number of those after it when the sink works again or closes. */
  report: (problem: SinkProblem) => void;
  clock: Pick<ClockPort, 'after'>;
}>;

/** The events that a sink took and lost since it was added. */
export type SinkCounts = Readonly<{ written: number; lost: number; dropped: number }>;

export type TelemetryBus = Readonly<{
  /** Redacts the events and queues them for each sink. Neither waits nor throws. */
  publish: (events: readonly TelemetryEvent[]) => void;
  /** Adds a sink for later events. The result removes it; events that wait for it still reach it. */
  add: (sink: TelemetrySink) => () => void;
  /** True if every sink has taken what was published before, within the limit. */
  flush: (limitMs: number) => Promise<boolean>;
  /** Flushes within the limit, then ends the sinks within the limit. Events that a sink has not taken by then count as dropped. */
  close: (limitMs: number) => Promise<void>;
  counts: () => ReadonlyMap<string, SinkCounts>;
}>;

export function createTelemetryBus({ sinks, redact, report, clock }: BusParts): TelemetryBus {
  const queues = new Set(sinks.map((sink) => new SinkQueue(sink, clock, report)));
  let isClosed = false;
  const flush = (limitMs: number): Promise<boolean> =>
    within(limitMs, clock, async () => void (await Promise.all([...queues].map((queue) => queue.drained()))));
  return {
    publish: (events) => {
      if (isClosed || queues.size === 0) return;
      const redacted = events.map(redact);
      for (const queue of queues) queue.push(redacted);
    },
    add: (sink) => {
      const queue = new SinkQueue(sink, clock, report);
      queues.add(queue);
      return () => void queues.delete(queue);
    },
    flush,
    close: async (limitMs) => {
      isClosed = true;
      await flush(limitMs);
      await within(limitMs, clock, async () => void (await Promise.all([...queues].map((queue) => queue.end()))));
    },
    counts: () => new Map([...queues].map((queue) => [queue.name, queue.counts])),
  };
}

/** True if the work ended in time. It never rejects here. */
async function within(limitMs: number, clock: BusParts['clock'], work: () => Promise<void>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const cancel = clock.after(limitMs, () => late.resolve(false));
  try {
    return await Promise.race([work().then(() => true), late.promise]);
  } finally {
    cancel();
  }
}

/** The events that wait for one sink. Mutable: the bus and the sink work at different speeds. */
class SinkQueue {
  readonly #sink: TelemetrySink;
  readonly #clock: BusParts['clock'];
  readonly #report: BusParts['report'];
  readonly #aborted = new AbortController();
  #waiting: TelemetryEvent[] = [];
  #counts = { written: 0, lost: 0, dropped: 0 };
  /** Events lost since the last report, by the kind of failure. Null while the sink works. */
  #unreported: Record<SinkProblem['kind'], number | null> = { lost: null, dropped: null };
  #isWriting = false;
  #isHurried = false;
  #skipLinger: () => void = () => {};
  #idle = Promise.withResolvers<void>();

  constructor(sink: TelemetrySink, clock: BusParts['clock'], report: BusParts['report']) {
    this.#sink = sink;
    this.#clock = clock;
    this.#report = report;
  }

  get name(): string {
    return this.#sink.name;
  }

  get counts(): SinkCounts {
    return { ...this.#counts };
  }

  push(events: readonly TelemetryEvent[]): void {
    const room = MAX_WAITING - this.#waiting.length;
    this.#waiting.push(...events.slice(0, room));
    if (events.length > room) this.#fail('dropped', events.length - room, null);
    if (this.#waiting.length >= MAX_BATCH) this.#skipLinger();
    if (this.#isWriting || this.#waiting.length === 0) return;
    this.#isWriting = true;
    this.#idle = Promise.withResolvers();
    void this.#work();
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    if (!this.#isWriting) return;
    this.#isHurried = true;
    this.#skipLinger();
    await this.#idle.promise;
  }

  /** Drops what still waits, and ends the sink. */
  async end(): Promise<void> {
    const left = this.#waiting.length;
    this.#waiting = [];
    this.#aborted.abort();
    if (left > 0) this.#fail('dropped', left, null);
    this.#recover();
    try {
      await this.#sink.close?.();
    } catch (error) {
      this.#notify({ kind: 'lost', events: 0, error });
    }
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#linger();
      const batch = this.#waiting.splice(0, MAX_BATCH);
      if (batch.length > 0) await this.#write(batch);
    }
    this.#isWriting = false;
    this.#isHurried = false;
    this.#idle.resolve();
  }

  async #write(batch: readonly TelemetryEvent[]): Promise<void> {
    try {
      await this.#sink.write(batch, this.#aborted.signal);
      this.#counts.written += batch.length;
      this.#recover();
    } catch (error) {
      this.#fail('lost', batch.length, error);
    }
  }

  /** Leaves the engine the turn of the event loop; then waits for more events if the sink wants that. */
  async #linger(): Promise<void> {
    const { lingerMs = 0 } = this.#sink;
    const { promise, resolve } = Promise.withResolvers<void>();
    const isDue = lingerMs === 0 || this.#isHurried || this.#waiting.length >= MAX_BATCH;
    const cancel = this.#clock.after(isDue ? 0 : lingerMs, resolve);
    this.#skipLinger = resolve;
    await promise;
    cancel();
    this.#skipLinger = () => {};
  }

  #fail(kind: SinkProblem['kind'], events: number, error: unknown): void {
    this.#counts[kind] += events;
    const before = this.#unreported[kind];
    this.#unreported[kind] = before === null ? 0 : before + events;
    if (before === null) this.#notify({ kind, events, error });
  }

  #recover(): void {
    for (const kind of ['lost', 'dropped'] as const) {
      const events = this.#unreported[kind] ?? 0;
      this.#unreported[kind] = null;
      if (events > 0) this.#notify({ kind, events, error: null });
    }
  }

  #notify(problem: Omit<SinkProblem, 'sink'>): void {
    try {
      this.#report({ sink: this.name, ...problem });
    } catch {
      // A failing report must not reach the engine, which publishes the events.
    }
  }
}
