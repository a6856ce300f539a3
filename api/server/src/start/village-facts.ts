import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { createInternalFeed } from '../agents/internal-feed.ts';
import type { InternalFeed, SnapshotPart } from '../agents/internal-feed.ts';
import { openInternalSignal } from '../agents/internal-signal.ts';
import { startPresenceBoard } from '../agents/presence-board.ts';
import type { PresenceBoard } from '../agents/presence-board.ts';
import { WakeHub } from '../agents/wake-hub.ts';
import { startFreezeBoard } from '../freeze/freeze-board.ts';
import type { FreezeBoard } from '../freeze/freeze-board.ts';
import type { Log } from '../service/log.ts';
import { startExpiry } from '../standing/expiry.ts';
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
  /** What the operator's stream begins with besides standing and presence. */
  readonly parts: readonly SnapshotPart[];
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** Presence and standing of agents: kept, followed by this replica, and told to the operator. */
export interface VillageFacts {
  readonly presence: PresenceBoard;
  readonly standing: StandingBoard;
  readonly keeper: StandingKeeper;
  readonly freeze: FreezeBoard;
  readonly hub: WakeHub;
  readonly feed: InternalFeed;
  close(): Promise<void>;
}

/** Starts all that follows what agents are to the village. */
export async function startVillageFacts(ports: VillageFactsPorts): Promise<VillageFacts> {
  const { db, source, log } = ports;
  const signal = openInternalSignal(ports.listenUrl);
  const presence = await startPresenceBoard({ ...ports, signal });
  const standing = await startStandingBoard({ ...ports, signal });
  const freeze = await startFreezeBoard({ ...ports, signal });
  const keeper = createStandingKeeper(ports);
  const stopExpiry = startExpiry({ db, log });
  const feed = createInternalFeed({ ...ports, signal });
  return {
    presence,
    standing,
    keeper,
    freeze,
    hub: new WakeHub({ source, presence, standing, log }),
    feed,
    close: async () => {
      standing.close();
      await Promise.all([keeper.stop(), stopExpiry(), freeze.close()]);
      await presence.close();
      await signal.close();
    },
  };
}
