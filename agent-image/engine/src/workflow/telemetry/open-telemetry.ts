import { isAbsolute, relative, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { JournalEvent } from '../../journal/event.ts';
import type { ClockPort } from '../../loop/ports.ts';
import { createTelemetryBus, type SinkProblem, type TelemetryBus, type TelemetrySink } from './bus.ts';
import type { TelemetryEvent } from './event.ts';
import { EMPTY_PROJECTION, project, type Projection, type ProjectionSources, type TelemetryNotice } from './project.ts';
import { createRedactor, type Redaction, type Redactor } from './redact.ts';
import { jsonlSink } from './sinks/jsonl-sink.ts';
import { memorySink, type MemorySink } from './sinks/memory-sink.ts';
import { otlpSink } from './sinks/otlp-sink.ts';
import type { ProviderOf } from './sinks/otlp-spans.ts';
import { prometheusSink } from './sinks/prometheus-sink.ts';
import { stdoutSink } from './sinks/stdout-sink.ts';

/** A sink as a manifest names it. Paths are below the data folder. */
export type SinkConfig =
  | Readonly<{ type: 'memory' | 'stdout' }>
  | Readonly<{ type: 'jsonl' | 'prometheus'; path: string }>
  | Readonly<{ type: 'otlp'; endpoint: string }>;

export type TelemetryParts = Readonly<{
  sinks: readonly SinkConfig[];
  /** Sinks beside those of the manifest, such as the one of the village's API. */
  others: readonly TelemetrySink[];
  redaction: Redaction;
  /** The folder for the files of sinks. */
  folder: string;
  stdout: Writable;
  version: string;
  clock: ClockPort;
  /** A number from 0 to below 1, for the waits between attempts to send. */
  random: () => number;
  providerOf: ProviderOf;
  sources: ProjectionSources;
  report: (problem: SinkProblem) => void;
}>;

/** The telemetry of one engine. None of its functions throws. */
export type Telemetry = Readonly<{
  /** Takes each notice of the engine, and returns before anything is done with it. */
  notify: (notice: TelemetryNotice) => void;
  /**
   * Learns what the journal has about a task before the task continues: the events of its run, then those of each run that works for it.
   * Publishes nothing. Without it, the events of a task that continues in another process are unknown.
   */
  catchUp: (events: readonly JournalEvent[]) => void;
  add: TelemetryBus['add'];
  /** The events that the memory sinks keep; none without such a sink. */
  events: () => readonly TelemetryEvent[];
  counts: TelemetryBus['counts'];
  flush: TelemetryBus['flush'];
  close: TelemetryBus['close'];
}>;

type Opened = Readonly<{ ok: true; telemetry: Telemetry }> | Readonly<{ ok: false; problems: readonly string[] }>;

/** Opens the sinks. Their files are created with the first event. */
export function openTelemetry(parts: TelemetryParts): Opened {
  const made = createRedactor(parts.redaction);
  const outside = parts.sinks.flatMap((sink) => ('path' in sink ? problemOfPath(parts.folder, sink.path) : []));
  if (!made.ok || outside.length > 0) return { ok: false, problems: [...(made.ok ? [] : made.problems), ...outside] };
  return { ok: true, telemetry: start(parts, made.redact) };
}

function problemOfPath(folder: string, path: string): readonly string[] {
  const inside = relative(folder, resolve(folder, path));
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
  return isInside ? [] : [`The path "${path}" of a sink leads out of the data folder: write one below it.`];
}

function start(parts: TelemetryParts, redact: Redactor): Telemetry {
  const { clock, report, sources } = parts;
  const memories: MemorySink[] = [];
  const sinks = parts.sinks.map((sink) => sinkOf(sink, parts, memories));
  const bus = createTelemetryBus({ sinks: [...sinks, ...parts.others], redact, report, clock });
  const notices = new NoticeQueue(sources, (events) => bus.publish(events));
  return {
    notify: (notice) => notices.push(notice),
    catchUp: (events) => notices.catchUp(events),
    add: bus.add,
    events: () => memories.flatMap((memory) => memory.events()),
    counts: bus.counts,
    flush: (limitMs) => {
      notices.drain();
      return bus.flush(limitMs);
    },
    close: (limitMs) => {
      notices.drain();
      return bus.close(limitMs);
    },
  };
}

function sinkOf(sink: SinkConfig, parts: TelemetryParts, memories: MemorySink[]): TelemetrySink {
  const { folder, stdout, version, providerOf, clock, random } = parts;
  switch (sink.type) {
    case 'memory': {
      const memory = memorySink();
      memories.push(memory);
      return memory;
    }
    case 'stdout':
      return stdoutSink(stdout);
    case 'jsonl':
      return jsonlSink(resolve(folder, sink.path));
    case 'prometheus':
      return prometheusSink(resolve(folder, sink.path));
    case 'otlp':
      return otlpSink({ endpoint: sink.endpoint, version, providerOf, ports: { clock, random, fetch } });
    default:
      return sink satisfies never;
  }
}

/** Maximum number of notices that wait for the turn of the event loop. A longer queue is handled at once. */
const MAX_NOTICES = 1_000;

/** Projects notices after the engine's turn, in which the journal writes their texts. Mutable: it has the state of the projection. */
class NoticeQueue {
  readonly #sources: ProjectionSources;
  readonly #publish: (events: readonly TelemetryEvent[]) => void;
  #projection: Projection = EMPTY_PROJECTION;
  #waiting: TelemetryNotice[] = [];

  constructor(sources: ProjectionSources, publish: (events: readonly TelemetryEvent[]) => void) {
    this.#sources = sources;
    this.#publish = publish;
  }

  push(notice: TelemetryNotice): void {
    // Words of models stay out of telemetry.
    if (notice.type === 'delta' || notice.type === 'output') return;
    if (this.#waiting.push(notice) === 1) setImmediate(() => this.drain());
    if (this.#waiting.length >= MAX_NOTICES) this.drain();
  }

  drain(): void {
    const notices = this.#waiting;
    this.#waiting = [];
    for (const notice of notices) this.#publish(this.#project(notice));
  }

  catchUp(events: readonly JournalEvent[]): void {
    this.drain();
    for (const event of events) this.#project({ type: 'event', event });
  }

  /** A text that cannot be read costs the events of its notice. */
  #project(notice: TelemetryNotice): readonly TelemetryEvent[] {
    try {
      const { projection, events } = project(this.#projection, notice, this.#sources);
      this.#projection = projection;
      return events;
    } catch {
      return [];
    }
  }
}
