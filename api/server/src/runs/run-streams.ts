import type { IncomingHttpHeaders } from 'node:http';
import type { Run } from '@hamlet/contract';
import { findRun, readRunEvents, type RunRow } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import type { EventSink } from '../http/event-sink.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { coalesce } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';
import type { RunDeltas } from './run-deltas.ts';
import { isRunOfReader, shownRunView } from './audience/run-audience.ts';
import { runEventView } from './run-view.ts';
import { veiledEvent } from './audience/veil.ts';
import type { RunWatch } from './run-watch.ts';

const STREAMS_MAX = 2_000;
const STREAMS_OF_ACTOR_MAX = 20;
const RETRY_S = 10;
const PAGE = 200;
const EVENT_ID = /^\d{1,7}$/;

export interface StreamPorts extends Pick<Services, 'db' | 'log'> {
  readonly watch: Pick<RunWatch, 'watch'>;
  readonly deltas: Pick<RunDeltas, 'subscribe'>;
}

export interface WantedStream {
  readonly runId: string;
  readonly after: number;
  readonly actor: Actor;
  readonly veiled: boolean;
}

/** The number of the last event that a reader has. A browser that reconnects repeats the query, so its header counts. */
export function resumeAfter(headers: IncomingHttpHeaders, after: number): number {
  const { 'last-event-id': id } = headers;
  return typeof id === 'string' && EVENT_ID.test(id) ? Number(id) : after;
}

/** The streams of runs on this replica. Mutable because it counts and holds open streams. */
export class RunStreams {
  readonly #ports: StreamPorts;
  readonly #open = new Set<RunStream>();
  readonly #ofActor = new Map<string, number>();

  constructor(ports: StreamPorts) {
    this.#ports = ports;
  }

  open(wanted: WantedStream, sink: EventSink): Outcome<() => void> {
    const { id } = wanted.actor;
    const own = this.#ofActor.get(id) ?? 0;
    if (own >= STREAMS_OF_ACTOR_MAX || this.#open.size >= STREAMS_MAX)
      return refused('rate_limited', `At most ${STREAMS_OF_ACTOR_MAX} streams of runs at one time`, RETRY_S);
    const stream = new RunStream(this.#ports, wanted, sink);
    this.#open.add(stream);
    this.#ofActor.set(id, own + 1);
    stream.start();
    return accepted(() => {
      stream.stop();
      if (!this.#open.delete(stream)) return;
      const left = (this.#ofActor.get(id) ?? 1) - 1;
      if (left > 0) this.#ofActor.set(id, left);
      else this.#ofActor.delete(id);
    });
  }

  closeAll(): void {
    for (const stream of this.#open) stream.close();
  }
}

/**
 * One reader of one run. It reads events by number from Postgres after each hint, so it neither skips nor repeats one;
 * words of the model pass while the run is running and not cancelled. Mutable because it remembers its place.
 */
class RunStream {
  readonly #ports: StreamPorts;
  readonly #runId: string;
  readonly #veiled: boolean;
  readonly #actor: Actor;
  readonly #sink: EventSink;
  readonly #pump = coalesce(() => this.#advance());
  #after: number;
  #sent: Run | null = null;
  #passesWords = false;
  #stopped = false;
  #cleanup: readonly (() => void)[] = [];

  constructor(ports: StreamPorts, { runId, after, actor, veiled }: WantedStream, sink: EventSink) {
    this.#ports = ports;
    this.#runId = runId;
    this.#veiled = veiled;
    this.#actor = actor;
    this.#after = after;
    this.#sink = sink;
  }

  start(): void {
    const { watch, deltas } = this.#ports;
    this.#cleanup = [
      watch.watch(this.#runId, () => this.#hint()),
      deltas.subscribe(this.#runId, (delta) => {
        if (this.#passesWords && !this.#stopped) this.#sink.send('delta', delta);
      }),
    ];
    this.#hint();
  }

  stop(): void {
    this.#stopped = true;
    for (const clean of this.#cleanup) clean();
    this.#cleanup = [];
  }

  close(): void {
    this.stop();
    this.#sink.close();
  }

  #hint(): void {
    if (this.#stopped) return;
    this.#pump().catch((error: unknown) =>
      this.#ports.log('warn', 'a stream of a run could not be continued', { run_id: this.#runId, error }),
    );
  }

  async #advance(): Promise<void> {
    const run = await findRun(this.#ports.db, this.#runId);
    // A person who was taken out of the session reads nothing more.
    if (run === null || !(await isRunOfReader(this.#ports.db, this.#actor, run))) {
      this.close();
      return;
    }
    this.#passesWords = !this.#veiled && run.state === 'running' && run.cancelRequestedAt === null;
    await this.#sendEvents(run);
    if (this.#stopped) return;
    this.#sendRun(run);
    if (run.endedAt !== null) this.close();
  }

  async #sendEvents({ events }: RunRow): Promise<void> {
    while (this.#after < events && !this.#stopped) {
      const page = await readRunEvents(this.#ports.db, this.#runId, { after: this.#after, limit: PAGE });
      for (const event of page) {
        if (this.#stopped) return;
        const shown = runEventView(this.#runId, event);
        this.#sink.send('run_event', this.#veiled ? veiledEvent(shown) : shown, String(event.number));
        this.#after = event.number;
      }
      if (page.length === 0) return;
      await this.#sink.drained();
    }
  }

  #sendRun(row: RunRow): void {
    const run = shownRunView({ row, veiled: this.#veiled });
    if (this.#sent !== null && JSON.stringify(this.#sent) === JSON.stringify(run)) return;
    this.#sent = run;
    this.#sink.send('run', run);
  }
}
