import type { MapResponse, PriceList } from '@hamlet/contract';
import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Board } from '../board/start-board.ts';
import type { InternalFeed } from '../agents/internal-feed.ts';
import type { WakeHub } from '../agents/wake-hub.ts';
import type { TokenReviewer } from '../auth/token-exchange.ts';
import type { ScheduleSource } from '../schedules/schedule-source.ts';
import type { GatewayPorts } from '../gateway/chat-gateway.ts';
import type { AgentLimits } from '../limits/agent-limits.ts';
import type { EconomyRules } from '../economy/judgement.ts';
import type { SpecWriter } from '../resource-writes/spec-writer.ts';
import type { PeopleServices } from '../people/people-services.ts';
import type { ClaimDesk } from '../spending/claim-desk.ts';
import type { Payments } from '../payments/start-payments.ts';
import type { Readiness } from '../service/readiness.ts';
import type { Log } from '../service/log.ts';
import type { Sealing } from '../sealed-log/start-sealing.ts';
import type { ReadBalances, StandingKeeper } from '../standing/standing-keeper.ts';
import type { WorldReader } from '../world/world-reader.ts';

/** What the handlers of routes work with. */
export interface Services {
  readonly db: Db;
  readonly log: Log;
  readonly source: AgentSource;
  readonly reviewer: TokenReviewer;
  readonly hub: WakeHub;
  readonly feed: InternalFeed;
  readonly reader: WorldReader;
  readonly mapAnswer: MapResponse;
  readonly readiness: Readiness;
  readonly board: Board;
  readonly standing: StandingKeeper;
  readonly readBalances: ReadBalances;
  readonly economy: EconomyRules;
  /** What compute costs beyond the tier. */
  readonly prices: PriceList;
  readonly sealing: Pick<Sealing, 'verifierKey'>;
  readonly claims: ClaimDesk;
  readonly payments: Payments;
  readonly schedules: ScheduleSource;
  readonly limits: AgentLimits;
  readonly gateway: GatewayPorts;
  readonly people: PeopleServices['people'];
  readonly specWriter: SpecWriter;
}
