import type { Presence } from '@hamlet/contract';
import { inSnapshot, internalEventRange, readInternalEvents, readPresence, readStandings, readVillage } from '@hamlet/store';
import type { Db, InternalEvent, Tx } from '@hamlet/store';
import type { EventSink } from '../http/event-sink.ts';
import type { Log } from '../service/log.ts';
import type { InternalSignal } from './internal-signal.ts';

const PAGE = 500;
const POLL_MS = 2_000;

/** Streams of what the operator is told, each resumable by `EPOCH:OFFSET`. */
export interface InternalFeed {
  /** Starts a stream after an event id, or from all that holds now. Returns what ends it. */
  open(after: string | undefined, sink: EventSink): Promise<() => void>;
  close(): void;
}

/** One kind of thing that a stream begins with, read as of the moment at which it begins. */
export type SnapshotPart = (tx: Tx) => Promise<readonly Pick<InternalEvent, 'event' | 'data'>[]>;

async function presencePart(tx: Tx): ReturnType<SnapshotPart> {
  return (await readPresence(tx)).map((row) => {
    const data: Presence = { agent_id: row.agentId, uid: row.uid, cycle: row.cycle, connected: row.connected, last_seen: row.lastSeen.toISOString() };
    return { event: 'presence', data };
  });
}

async function standingPart(tx: Tx): ReturnType<SnapshotPart> {
  return (await readStandings(tx)).map((data) => ({ event: 'standing', data }));
}

export interface FeedPorts {
  readonly db: Db;
  readonly signal: InternalSignal;
  /** What a stream begins with besides standing and presence. */
  readonly parts: readonly SnapshotPart[];
  readonly log: Log;
}

export function createInternalFeed({ db, signal, parts, log }: FeedPorts): InternalFeed {
  const pumps = new Set<() => void>();
  const pumpAll = (): void => {
    for (const pump of pumps) pump();
  };
  signal.on('any', pumpAll);
  // Whatever a notification missed is found by looking.
  const timer = setInterval(pumpAll, POLL_MS);

  /** The offset to go on from; null where the caller must begin anew. */
  async function resumeFrom(after: string | undefined, epoch: string): Promise<number | null> {
    const [ofEpoch, text] = after?.split(':') ?? [];
    const offset = Number(text);
    const { first, last } = await internalEventRange(db);
    return ofEpoch === epoch && offset <= last && offset >= first - 1 ? offset : null;
  }

  /** All that holds at one moment, and the offset of that moment. */
  async function begin(sink: EventSink, epoch: string): Promise<number> {
    return inSnapshot(db, async (tx) => {
      const { last } = await internalEventRange(tx);
      const id = `${epoch}:${last}`;
      // Without an id until all of it is said: who is cut off in between must begin anew.
      sink.send('reset', { epoch });
      for (const part of [standingPart, presencePart, ...parts]) for (const { event, data } of await part(tx)) sink.send(event, data);
      sink.send('synced', {}, id);
      return last;
    });
  }

  return {
    open: async (after, sink) => {
      const { streamEpoch: epoch } = await readVillage(db);
      let offset = (await resumeFrom(after, epoch)) ?? (await begin(sink, epoch));
      let pumping = false;
      let again = false;

      async function drain(): Promise<void> {
        do {
          again = false;
          for (let page = await readInternalEvents(db, offset, PAGE); page.length > 0; page = await readInternalEvents(db, offset, PAGE)) {
            for (const { id, event, data } of page) {
              sink.send(event, data, `${epoch}:${id}`);
              offset = id;
            }
          }
        } while (again);
      }
      const pump = (): void => {
        again = true;
        if (pumping) return;
        pumping = true;
        drain()
          .catch((error: unknown) => log('warn', 'the internal stream waits for the database', { error }))
          .finally(() => {
            pumping = false;
          });
      };
      pumps.add(pump);
      pump();
      return () => void pumps.delete(pump);
    },
    close: () => clearInterval(timer),
  };
}
