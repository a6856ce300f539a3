import { Counter, type Registry } from 'prom-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { createComplaint, type Complaint, type Log } from '../service/log.ts';
import { otlpRequest, type SpanSource } from './otlp-json.ts';
import { postSpans } from './post-spans.ts';
import type { Span } from './span.ts';

/** Maximum number of spans in the queue, about 2 MB; a full queue drops new ones and counts them. */
const WAITING_MAX = 4_096;
/** Maximum number of spans in one request. */
const BATCH_MAX = 512;
/** Time for which spans wait for others of the same request. */
const LINGER_MS = 1_000;
const ATTEMPTS_MAX = 4;
/** Wait before the second attempt; it doubles with each further one. */
const FIRST_WAIT_MS = 500;
/** Time that `stop` gives to the spans that wait. */
const STOP_MS = 3_000;

interface ExporterTimes {
  readonly lingerMs: number;
  readonly firstWaitMs: number;
  readonly stopMs: number;
}

interface ExporterPorts {
  /** The address of the collector with its path. */
  readonly url: string;
  readonly source: SpanSource;
  readonly registry: Registry;
  readonly log: Log;
  readonly times?: ExporterTimes;
}

type Outcome = 'sent' | 'dropped' | 'lost';

/** Sends spans to a collector, in batches and one request at a time. Mutable because it queues spans for a slow collector. */
export class SpanExporter {
  readonly #ports: ExporterPorts;
  readonly #times: ExporterTimes;
  readonly #counter: Counter<'outcome'>;
  readonly #complaint: Complaint;
  /** Aborts waits, so that the rest is sent at once. */
  readonly #hurry = new AbortController();
  readonly #end = new AbortController();
  #waiting: Span[] = [];
  #work: Promise<void> | null = null;

  constructor(ports: ExporterPorts) {
    this.#ports = ports;
    this.#times = ports.times ?? { lingerMs: LINGER_MS, firstWaitMs: FIRST_WAIT_MS, stopMs: STOP_MS };
    this.#complaint = createComplaint(ports.log, 'traces do not reach their collector');
    this.#counter = new Counter({
      name: 'hamlet_trace_spans_total',
      help: 'Spans by outcome: sent, dropped by a full queue, or lost because the collector did not accept them',
      labelNames: ['outcome'],
      registers: [ports.registry],
    });
  }

  /** Queues spans, and returns at once. */
  add(spans: readonly Span[]): void {
    const room = this.#end.signal.aborted ? 0 : Math.max(0, WAITING_MAX - this.#waiting.length);
    this.#waiting.push(...spans.slice(0, room));
    this.#count('dropped', spans.length - Math.min(room, spans.length));
    if (this.#waiting.length > 0) this.#work ??= this.#sendAll();
  }

  /** Sends what waits, within a limit of time; drops the rest. */
  async stop(): Promise<void> {
    this.#hurry.abort();
    const late = new AbortController();
    await Promise.race([this.#work, pause(this.#times.stopMs, late.signal)]);
    late.abort();
    this.#end.abort();
    await this.#work;
    this.#count('dropped', this.#waiting.splice(0).length);
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#end.signal.aborted) {
      if (this.#waiting.length < BATCH_MAX) await pause(this.#times.lingerMs, this.#hurry.signal);
      await this.#send(this.#waiting.splice(0, BATCH_MAX));
    }
    this.#work = null;
  }

  async #send(spans: readonly Span[]): Promise<void> {
    const { url, source } = this.#ports;
    const body = otlpRequest(spans, source);
    for (let attempt = 1; ; attempt += 1) {
      const posted = await postSpans(url, body, this.#end.signal);
      if (posted.kind === 'taken') return this.#taken(spans.length, posted.rejected);
      const isLast = attempt === ATTEMPTS_MAX || this.#hurry.signal.aborted;
      if (posted.kind === 'refused' || isLast) return this.#lost(spans.length, posted.error);
      await pause(posted.waitMs ?? this.#times.firstWaitMs * 2 ** (attempt - 1), this.#hurry.signal);
    }
  }

  #taken(spans: number, rejected: number): void {
    const lost = Math.min(spans, rejected);
    this.#count('sent', spans - lost);
    if (lost > 0) this.#lost(lost, new Error(`the collector refused ${lost} of ${spans} spans: read its log`));
    else this.#complaint.succeed();
  }

  #lost(spans: number, error: Error): void {
    this.#count('lost', spans);
    this.#complaint.fail(error);
  }

  #count(outcome: Outcome, spans: number): void {
    if (spans > 0) this.#counter.inc({ outcome }, spans);
  }
}

/** Waits, unless the signal aborts first. Resolves in both cases, and keeps no process alive. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
