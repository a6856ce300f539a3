import type { ComputeClaim, Presence } from '@hamlet/contract';
import {
  inSnapshot,
  internalEventRange,
  readInternalEvents,
  readPresence,
  readStandings,
  readVillage,
} from '@hamlet/store';
import type { ClaimRow, Db, InternalEvent, Tx } from '@hamlet/store';
import type { EventSink } from '../http/event-sink.ts';
import { coalesce } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

const PAGE = 500;
const POLL_MS = 2_000;

export type SnapshotPart = (tx: Tx) => Promise<readonly Pick<InternalEvent, 'event' | 'data'>[]>;

export function claimView({ agentId, uid, version, cycle, hold, refused }: ClaimRow): ComputeClaim {
  return {
    agent_id: agentId,
    uid,
    version,
    cycle,
    held: hold !== null && !hold.renewalRefused,
    tier: hold?.tier ?? null,
    until: hold?.until.toISOString() ?? null,
    pod_uid: hold?.pod?.uid ?? null,
    refused: refused === null ? null : { ...refused },
  };
}

async function presencePart(tx: Tx): ReturnType<SnapshotPart> {
  return (await readPresence(tx)).map((row) => {
    const data: Presence = {
      agent_id: row.agentId,
      uid: row.uid,
      cycle: row.cycle,
      connected: row.connected,
      last_seen: row.lastSeen.toISOString(),
    };
    return { event: 'presence', data };
  });
}

async function standingPart(tx: Tx): ReturnType<SnapshotPart> {
  return (await readStandings(tx)).map((data) => ({ event: 'standing', data }));
}

export interface FeedPorts extends Pick<Services, 'db' | 'log' | 'notifications'> {
  readonly parts: readonly SnapshotPart[];
}

async function resumeFrom(db: Db, after: string | undefined, epoch: string): Promise<number | null> {
  const [ofEpoch, text] = after?.split(':') ?? [];
  const offset = Number(text);
  const { first, last } = await internalEventRange(db);
  return ofEpoch === epoch && offset <= last && offset >= first - 1 ? offset : null;
}

async function begin({ db, parts }: Pick<FeedPorts, 'db' | 'parts'>, sink: EventSink, epoch: string): Promise<number> {
  return inSnapshot(db, async (tx) => {
    const { last } = await internalEventRange(tx);
    const id = `${epoch}:${last}`;
    // Only the last event has an id, so a stream that breaks earlier begins again with a snapshot.
    sink.send('reset', { epoch });
    for (const part of [standingPart, presencePart, ...parts])
      for (const { event, data } of await part(tx)) sink.send(event, data);
    sink.send('synced', {}, id);
    return last;
  });
}

export function createInternalFeed({ db, notifications, parts, log }: FeedPorts) {
  const pumps = new Set<() => Promise<void>>();
  const pumpAll = (): void => {
    for (const pump of pumps) void pump();
  };
  notifications.onInternal('any', pumpAll);
  // Polling finds events whose notification was lost.
  const timer = setInterval(pumpAll, POLL_MS);

  return {
    open: async (after: string | undefined, sink: EventSink) => {
      const { streamEpoch: epoch } = await readVillage(db);
      let offset = (await resumeFrom(db, after, epoch)) ?? (await begin({ db, parts }, sink, epoch));
      const drain = async (): Promise<void> => {
        for (
          let page = await readInternalEvents(db, offset, PAGE);
          page.length > 0;
          page = await readInternalEvents(db, offset, PAGE)
        ) {
          for (const { id, event, data } of page) {
            sink.send(event, data, `${epoch}:${id}`);
            offset = id;
          }
        }
      };
      const pump = coalesce(() =>
        drain().catch((error: unknown) =>
          log('warn', 'the internal stream could not read events; the API retries', { error }),
        ),
      );
      pumps.add(pump);
      void pump();
      return () => void pumps.delete(pump);
    },
    close: () => clearInterval(timer),
  };
}
