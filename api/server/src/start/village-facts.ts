import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { createInternalFeed, type InternalFeed, type SnapshotPart } from '../operator/internal-feed.ts';
import { openInternalSignal } from '../operator/internal-signal.ts';
import { startPresenceCache, type PresenceCache } from '../agents/presence-cache.ts';
import { WakeHub } from '../residents/wake-hub.ts';
import { startFreezeCache, type FreezeCache } from '../freeze/freeze-cache.ts';
import type { Log } from '../service/log.ts';
import { measureExpiryJob } from '../standing/expiry.ts';
import type { Job } from '../service/jobs.ts';
import { startStandingCache, type StandingCache } from '../standing/standing-cache.ts';
import { startBalanceTierSync, type BalanceTierSync } from '../standing/balance-tier-sync.ts';

export interface VillageFactsPorts {
  readonly db: Db;
  readonly listenUrl: string;
  readonly replicaId: string;
  readonly source: AgentSource;
  /** Further parts of the operator's snapshot, after standing and presence. */
  readonly parts: readonly SnapshotPart[];
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** The caches of agents' presence and standing on this replica, and the operator's feed of both. */
export interface VillageFacts {
  readonly presence: PresenceCache;
  readonly standing: StandingCache;
  readonly tiers: BalanceTierSync;
  readonly freeze: FreezeCache;
  readonly hub: WakeHub;
  readonly feed: InternalFeed;
  readonly jobs: readonly Job[];
  close(): Promise<void>;
}

/** Starts the caches and feeds of agents' presence and standing. */
export async function startVillageFacts(ports: VillageFactsPorts): Promise<VillageFacts> {
  const { source, log } = ports;
  const signal = openInternalSignal(ports.listenUrl);
  const presence = await startPresenceCache({ ...ports, signal });
  const standing = await startStandingCache({ ...ports, signal });
  const freeze = await startFreezeCache({ ...ports, signal });
  const tiers = startBalanceTierSync(ports);
  const feed = createInternalFeed({ ...ports, signal });
  return {
    presence,
    standing,
    tiers,
    freeze,
    hub: new WakeHub({ source, presence, standing, log }),
    feed,
    jobs: [measureExpiryJob(ports.db)],
    close: async () => {
      standing.close();
      await Promise.all([tiers.stop(), freeze.close()]);
      await presence.close();
      await signal.close();
    },
  };
}
