import { beat, connectStream, disconnectStream, INTERNAL_EVENTS_CHANNEL, listen, readPresence, sweepSilentReplicas } from '@hamlet/store';
import type { Db, PresenceRow, Stream } from '@hamlet/store';
import type { Log } from '../service/log.ts';

const BEAT_MS = 1_000;
/** A replica that says nothing for so long has gone, and its streams with it. */
const SILENT_MS = 4_000;

/** Who is connected, over all replicas. */
export interface PresenceBoard {
  get(agentId: string): PresenceRow | null;
  /** Notes a stream of this replica; false where a newer one is there. */
  connect(stream: Omit<Stream, 'replicaId'>): Promise<boolean>;
  disconnect(streamId: string): Promise<void>;
  onChange(hear: () => void): void;
  /** Ends every stream of this replica in the books. */
  close(): Promise<void>;
}

/**
 * Keeps presence in Postgres and in memory. Level-based: once a second this replica says that it lives and which streams it serves, so that a row
 * swept by mistake comes back; replicas that fell silent are swept by whoever notices.
 */
export async function startPresenceBoard(ports: { readonly db: Db; readonly listenUrl: string; readonly replicaId: string; readonly log: Log }): Promise<PresenceBoard> {
  const { db, replicaId, log } = ports;
  const mine = new Map<string, Stream>();
  const hearers: (() => void)[] = [];
  let rows = new Map<string, PresenceRow>();

  async function refresh(): Promise<void> {
    rows = new Map((await readPresence(db)).map((row) => [row.agentId, row]));
    for (const hear of hearers) hear();
  }

  async function assertMine(): Promise<void> {
    await beat(db, replicaId);
    for (const stream of mine.values()) {
      const row = rows.get(stream.agentId);
      if (row?.connected !== true || row.streamId !== stream.streamId) await connectStream(db, stream);
    }
    await sweepSilentReplicas(db, SILENT_MS);
  }

  await beat(db, replicaId);
  await refresh();
  const quietly = (work: () => Promise<void>) => (): void => void work().catch((error: unknown) => log('warn', 'presence was not kept', { error }));
  const listener = listen(ports.listenUrl, [INTERNAL_EVENTS_CHANNEL], quietly(refresh));
  let beating = false;
  const timer = setInterval(() => {
    if (beating) return;
    beating = true;
    quietly(() => assertMine().finally(() => { beating = false; }))();
  }, BEAT_MS);

  return {
    get: (agentId) => rows.get(agentId) ?? null,
    connect: async (stream) => {
      const whole = { ...stream, replicaId };
      if (!(await connectStream(db, whole))) return false;
      mine.set(stream.streamId, whole);
      return true;
    },
    disconnect: async (streamId) => {
      mine.delete(streamId);
      await disconnectStream(db, streamId);
    },
    onChange: (hear) => void hearers.push(hear),
    close: async () => {
      clearInterval(timer);
      for (const streamId of mine.keys()) await disconnectStream(db, streamId).catch(() => undefined);
      await listener.stop();
    },
  };
}
