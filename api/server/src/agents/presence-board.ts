import { assertStream, beat, connectStream, disconnectStream, readPresence, sweepSilentReplicas } from '@hamlet/store';
import type { Db, PresenceRow, Stream } from '@hamlet/store';
import { coalesce } from '../service/single-flight.ts';
import type { Log } from '../service/log.ts';
import type { InternalSignal } from './internal-signal.ts';

const BEAT_MS = 1_000;
/** A replica that says nothing for so long has gone, and its streams with it. */
const SILENT_MS = 4_000;

/** Who is connected, over all replicas. */
export interface PresenceBoard {
  get(agentId: string): PresenceRow | null;
  /** Notes a new stream of this replica; null where a newer cycle of the agent is known. */
  connect(life: { readonly agentId: string; readonly uid: string; readonly cycle: number }): Promise<Stream | null>;
  disconnect(stream: Stream): Promise<void>;
  onChange(hear: () => void): void;
  /** Ends every stream of this replica in the books. */
  close(): Promise<void>;
}

/**
 * Keeps presence in Postgres and in memory. Level-based: once a second this replica says that it lives and which streams it serves, so that a row
 * swept by mistake comes back; replicas that fell silent are swept by whoever notices.
 */
export async function startPresenceBoard(ports: {
  readonly db: Db;
  readonly signal: InternalSignal;
  readonly replicaId: string;
  readonly log: Log;
}): Promise<PresenceBoard> {
  const { db, replicaId, log } = ports;
  const mine = new Set<Stream>();
  const hearers: (() => void)[] = [];
  let rows = new Map<string, PresenceRow>();

  // Many agents come and go at once: they share readings.
  const refresh = coalesce(async () => {
    rows = new Map((await readPresence(db)).map((row) => [row.agentId, row]));
    for (const hear of hearers) hear();
  });

  async function assertMine(): Promise<void> {
    await beat(db, replicaId);
    for (const stream of mine) {
      const row = rows.get(stream.agentId);
      if (row?.streamNo === stream.streamNo && !row.connected) await assertStream(db, stream);
    }
    await sweepSilentReplicas(db, SILENT_MS);
  }

  await beat(db, replicaId);
  await refresh();
  const quietly = (work: () => Promise<void>) => (): void =>
    void work().catch((error: unknown) => log('warn', 'presence was not kept', { error }));
  ports.signal.on('presence', quietly(refresh));
  let beating = false;
  const timer = setInterval(() => {
    if (beating) return;
    beating = true;
    quietly(() =>
      assertMine().finally(() => {
        beating = false;
      }),
    )();
  }, BEAT_MS);

  return {
    get: (agentId) => rows.get(agentId) ?? null,
    connect: async (life) => {
      const stream = await connectStream(db, { ...life, replicaId });
      if (stream !== null) mine.add(stream);
      return stream;
    },
    disconnect: async (stream) => {
      mine.delete(stream);
      await disconnectStream(db, stream);
    },
    onChange: (hear) => void hearers.push(hear),
    close: async () => {
      clearInterval(timer);
      for (const stream of mine) await disconnectStream(db, stream).catch(() => undefined);
    },
  };
}
