import type { Presence } from '@hamlet/contract';
import { internalEventRange, readInternalEvents, readPresence, readVillage } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { EventSink } from '../http/event-sink.ts';
import type { Log } from '../service/log.ts';
import type { PresenceBoard } from './presence-board.ts';

const PAGE = 500;
const POLL_MS = 2_000;

/** Streams of what the operator is told, each resumable by `EPOCH:OFFSET`. */
export interface InternalFeed {
  /** Starts a stream after an event id, or from all that holds now. Returns what ends it. */
  open(after: string | undefined, sink: EventSink): Promise<() => void>;
  close(): void;
}

export function createInternalFeed(ports: { readonly db: Db; readonly presence: PresenceBoard; readonly log: Log }): InternalFeed {
  const { db, presence, log } = ports;
  const pumps = new Set<() => void>();
  const pumpAll = (): void => {
    for (const pump of pumps) pump();
  };
  presence.onChange(pumpAll);
  // Whatever a notification missed is found by looking.
  const timer = setInterval(pumpAll, POLL_MS);

  /** The offset to go on from; null where the caller must begin anew. */
  async function resumeFrom(after: string | undefined, epoch: string): Promise<number | null> {
    const [ofEpoch, text] = after?.split(':') ?? [];
    const offset = Number(text);
    const { first, last } = await internalEventRange(db);
    return ofEpoch === epoch && offset <= last && offset >= first - 1 ? offset : null;
  }

  /** All that holds now. The offset is read first: an event that comes between is sent twice rather than never. */
  async function begin(sink: EventSink, epoch: string): Promise<number> {
    const { last } = await internalEventRange(db);
    const id = `${epoch}:${last}`;
    sink.send('reset', { epoch }, id);
    for (const row of await readPresence(db)) {
      const data: Presence = { agent_id: row.agentId, uid: row.uid, cycle: row.cycle, connected: row.connected, last_seen: row.lastSeen.toISOString() };
      sink.send('presence', data, id);
    }
    return last;
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
