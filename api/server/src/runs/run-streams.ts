import type { IncomingHttpHeaders } from 'node:http';
import { findRun, readRunEvents, type RunRow } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import type { EventSink } from '../http/event-sink.ts';
import { accepted, refused } from '../http/outcome.ts';
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

interface WantedStream {
  readonly runId: string;
  readonly after: number;
  readonly actor: Actor;
  readonly veiled: boolean;
}

/** The number of the last event that a reader has. A browser that reconnects repeats the query, so its header takes precedence. */
export function resumeAfter(headers: IncomingHttpHeaders, after: number): number {
  const { 'last-event-id': id } = headers;
  return typeof id === 'string' && EVENT_ID.test(id) ? Number(id) : after;
}

export function createRunStreams(ports: StreamPorts) {
  /** The actor of each stream, by the function that closes it. */
  const streams = new Map<() => void, string>();
  return {
    open: (wanted: WantedStream, sink: EventSink) => {
      const { id } = wanted.actor;
      const own = [...streams.values()].filter((each) => each === id).length;
      if (own >= STREAMS_OF_ACTOR_MAX || streams.size >= STREAMS_MAX)
        return refused('rate_limited', `${STREAMS_OF_ACTOR_MAX} streams of runs are open: close one`, RETRY_S);
      const { stop, close } = follow(ports, wanted, sink);
      streams.set(close, id);
      return accepted(() => {
        stop();
        streams.delete(close);
      });
    },
    closeAll: () => {
      for (const close of streams.keys()) close();
    },
  };
}

/**
 * Follows one run for one reader. It reads events by number from Postgres after each hint, so it neither skips nor
 * repeats one. Streamed text passes while the run is running and not cancelled.
 */
function follow(
  { db, log, watch, deltas }: StreamPorts,
  { runId, after, actor, veiled }: WantedStream,
  sink: EventSink,
): { stop(): void; close(): void } {
  let [last, sentRun, passesWords, isStopped] = [after, '', false, false];

  async function sendEvents({ events }: RunRow): Promise<void> {
    while (last < events && !isStopped) {
      const page = await readRunEvents(db, runId, { after: last, limit: PAGE });
      for (const event of page) {
        if (isStopped) return;
        const shown = runEventView(runId, event);
        sink.send('run_event', veiled ? veiledEvent(shown) : shown, String(event.number));
        last = event.number;
      }
      if (page.length === 0) return;
      await sink.drained();
    }
  }

  const advance = coalesce(async () => {
    const row = await findRun(db, runId);
    // A person who was removed from the session may read nothing more.
    if (row === null || !(await isRunOfReader(db, actor, row))) return close();
    passesWords = !veiled && row.state === 'running' && row.cancelRequestedAt === null;
    await sendEvents(row);
    if (isStopped) return;
    const run = shownRunView({ row, veiled });
    if (sentRun !== JSON.stringify(run)) sink.send('run', run);
    sentRun = JSON.stringify(run);
    if (row.endedAt !== null) close();
  });
  const hint = (): void => {
    if (isStopped) return;
    advance().catch((error: unknown) =>
      log('warn', 'a stream of a run could not be continued', { run_id: runId, error }),
    );
  };
  const unsubscribe = [
    watch.watch(runId, hint),
    deltas.subscribe(runId, (delta) => {
      if (passesWords && !isStopped) sink.send('delta', delta);
    }),
  ];
  function stop(): void {
    isStopped = true;
    for (const end of unsubscribe) end();
  }
  function close(): void {
    stop();
    sink.close();
  }
  hint();
  return { stop, close };
}
