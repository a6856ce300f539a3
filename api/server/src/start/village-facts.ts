import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { createInternalFeed } from '../agents/internal-feed.ts';
import type { InternalFeed, SnapshotPart } from '../agents/internal-feed.ts';
import { openInternalSignal } from '../agents/internal-signal.ts';
import { startPresenceBoard } from '../agents/presence-board.ts';
import type { PresenceBoard } from '../agents/presence-board.ts';
import { WakeHub } from '../agents/wake-hub.ts';
import { startFreezeCache } from '../freeze/freeze-cache.ts';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import type { Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { measureExpiryJob } from '../standing/expiry.ts';
import { startStandingBoard } from '../standing/standing-board.ts';
import type { StandingBoard } from '../standing/standing-board.ts';
import { createStandingKeeper } from '../standing/standing-keeper.ts';
import type { ReadBalances, StandingKeeper } from '../standing/standing-keeper.ts';

export interface VillageFactsPorts {
  readonly db: Db;
  readonly listenUrl: string;
  readonly replicaId: string;
  readonly source: AgentSource;
  readonly readBalances: ReadBalances;
  /** Further parts of the operator's snapshot, besides standing and presence. */
  readonly parts: readonly SnapshotPart[];
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** Presence, standing and freeze: written, cached by this replica, and published to the operator. */
export interface VillageFacts {
  readonly presence: PresenceBoard;
  readonly standing: StandingBoard;
  readonly keeper: StandingKeeper;
  readonly freeze: FreezeCache;
  readonly hub: WakeHub;
  readonly feed: InternalFeed;
  readonly jobs: readonly Job[];
  close(): Promise<void>;
}

/** Starts the caches of presence, standing and freeze, and the streams that publish them. */
export async function startVillageFacts(ports: VillageFactsPorts): Promise<VillageFacts> {
  const { source, log } = ports;
  const signal = openInternalSignal(ports.listenUrl);
  const presence = await startPresenceBoard({ ...ports, signal });
  const standing = await startStandingBoard({ ...ports, signal });
  const freeze = await startFreezeCache({ ...ports, signal });
  const keeper = createStandingKeeper(ports);
  const feed = createInternalFeed({ ...ports, signal });
  return {
    presence,
    standing,
    keeper,
    freeze,
    hub: new WakeHub({ source, presence, standing, log }),
    feed,
    jobs: [measureExpiryJob(ports.db)],
    close: async () => {
      standing.close();
      await Promise.all([keeper.stop(), freeze.close()]);
      await presence.close();
      await signal.close();
    },
  };
}
