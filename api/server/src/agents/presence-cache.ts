import { assertStream, beat, connectStream, disconnectStream, readPresence, sweepSilentReplicas } from '@hamlet/store';
import type { PresenceRow, Stream } from '@hamlet/store';
import { coalesce, repeat } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

const BEAT_MS = 1_000;
/** A replica that has not reported for this time counts as gone: another replica marks its streams as ended. */
const SILENT_MS = 4_000;

/**
 * Keeps presence in Postgres and in memory. Once a second, this replica reports that it is alive, marks its own streams
 * as connected again if another replica marked them as ended, and marks the streams of silent replicas as ended.
 */
export async function startPresenceCache(ports: Pick<Services, 'db' | 'replicaId' | 'log' | 'notifications'>) {
  const { db, replicaId, log } = ports;
  const mine = new Set<Stream>();
  const callbacks: (() => void)[] = [];
  let rows = new Map<string, PresenceRow>();

  // Concurrent changes share one read.
  const refresh = coalesce(async () => {
    rows = new Map((await readPresence(db)).map((row) => [row.agentId, row]));
    for (const callback of callbacks) callback();
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
  const failed = (error: unknown): void => log('warn', 'presence was not updated; the API retries', { error });
  ports.notifications.onInternal('presence', () => void refresh().catch(failed));
  const stopBeating = repeat(BEAT_MS, assertMine, failed);

  return {
    get: (agentId: string) => rows.get(agentId) ?? null,
    /** Records a new stream of this replica. Null if a newer cycle of the agent has connected. */
    connect: async (life: { readonly agentId: string; readonly uid: string; readonly cycle: number }) => {
      const stream = await connectStream(db, { ...life, replicaId });
      if (stream !== null) mine.add(stream);
      return stream;
    },
    disconnect: async (stream: Stream) => {
      mine.delete(stream);
      await disconnectStream(db, stream);
    },
    onChange: (callback: () => void): void => void callbacks.push(callback),
    close: async () => {
      await stopBeating();
      for (const stream of mine) await disconnectStream(db, stream).catch(() => undefined);
    },
  };
}

export type PresenceCache = Awaited<ReturnType<typeof startPresenceCache>>;
