import type { TelemetryEvent } from '../event.ts';
import {
  isSpanned,
  spanEventOf,
  spanOf,
  stageSpan,
  taskSpan,
  type Parents,
  type ProviderOf,
  type Span,
} from './otlp-spans.ts';

/** Maximum number of events of one span, and of tasks and stages whose events wait for their span. */
const MAX_EVENTS = 128;
const MAX_OPEN = 10_000;

type Open = Readonly<{ span: string; events: ReturnType<typeof spanEventOf>[] }>;

/** Makes spans of events in their order. Mutable: it keeps the tasks and stages that have begun and not ended. */
export class OtlpTrace {
  readonly #providerOf: ProviderOf;
  /** By task, and by task and stage. The oldest is forgotten first; its events are then lost. */
  readonly #open = new Map<string, Open>();
  /** The runs of open tasks. All others of a task are those of agents. */
  readonly #tasks = new Map<string, string>();

  constructor(providerOf: ProviderOf) {
    this.#providerOf = providerOf;
  }

  take(events: readonly TelemetryEvent[]): readonly Span[] {
    return events.flatMap((event) => this.#take(event));
  }

  #take(event: TelemetryEvent): readonly Span[] {
    if (event.type === 'task_created') {
      this.#begin(this.#tasks, event.task, event.run);
      this.#begin(this.#open, keyOf(event.task, null), { span: taskSpan(event.task), events: [] });
      return [];
    }
    if (event.type === 'stage_started') {
      this.#begin(this.#open, keyOf(event.task, event.stage), { span: stageSpan(event), events: [] });
      return [];
    }
    if (!isSpanned(event)) {
      const { events } = this.#placeOf(event.task, event.stage) ?? {};
      if (events !== undefined && events.length < MAX_EVENTS) events.push(spanEventOf(event));
      return [];
    }
    const place = this.#endOf(event);
    return [
      spanOf(event, {
        parents: this.#parentsOf(event.task),
        providerOf: this.#providerOf,
        events: place?.events ?? [],
      }),
    ];
  }

  /** The place that ends with this event. */
  #endOf({ type, task, stage }: TelemetryEvent): Open | undefined {
    if (type !== 'stage_finished' && type !== 'task_finished') return undefined;
    const key = keyOf(task, type === 'task_finished' ? null : stage);
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (type === 'task_finished') this.#tasks.delete(task);
    return open;
  }

  #placeOf(task: string, stage: string | null): Open | undefined {
    return this.#open.get(keyOf(task, stage)) ?? this.#open.get(keyOf(task, null));
  }

  #parentsOf(task: string): Parents {
    return {
      ofStage: (stage) => this.#placeOf(task, stage)?.span ?? taskSpan(task),
      isAgent: (run) => this.#tasks.has(task) && this.#tasks.get(task) !== run,
    };
  }

  #begin<T>(map: Map<string, T>, key: string, value: T): void {
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > MAX_OPEN && oldest !== undefined) map.delete(oldest);
  }
}

const keyOf = (task: string, stage: string | null): string => JSON.stringify([task, stage]);
