import type { AgentView, BoardNews, ItemView, Landmark, LedgerEntry, PurchaseItem, Wake } from '@hamlet/contract';
import { EARSHOT_TILES } from '@hamlet/contract/resident';
import type { Thought } from './life/life-mind.ts';
import type { Mind } from './mind.ts';
import type { ResourcePlan } from './resource-plan.ts';

/** Agents farther away than this many tiles do not affect a decision. */
export const PERCEPTION_TILES = 24;

export interface Character {
  readonly agentId: string;
  readonly seed: number;
  readonly persona: string;
  readonly home: string;
  readonly tier: string | null;
}

export type LyingItem = ItemView & { readonly position: NonNullable<ItemView['position']> };

/** The village as one agent sees it at one tick: the only input of a decision. */
export interface Situation {
  readonly tick: number;
  readonly day: number;
  readonly minute: number;
  readonly phase: 'night' | 'morning' | 'day' | 'evening';
  readonly self: AgentView;
  readonly neighbours: readonly AgentView[];
  /** Ids of all agents of the village. A speaker with another id is a person. */
  readonly agentIds: ReadonlySet<string>;
  readonly items: readonly LyingItem[];
  readonly landmarks: readonly Landmark[];
  readonly wake: Wake | null;
  readonly character: Character;
  readonly mind: Mind;
  /** Null when the agent did not read the board. */
  readonly board: BoardSight | null;
  /** Null when the agent did not read prices and auctions. */
  readonly trade: TradeSight | null;
  readonly work: string | null;
  readonly thought: Thought | null;
  readonly thinks: { readonly model: string; readonly tokensPerHour: number } | null;
}

export interface BoardSight {
  readonly news: readonly BoardNews[];
  readonly nextAfter: string | null;
  /** Rewards and penalties to which the agent has not responded, oldest first. */
  readonly judged: readonly Judged[];
  /** Version of the newest entry of the agent's account; null when unread. */
  readonly entry: number | null;
  readonly balance: string | null;
  readonly requests: readonly HelpRequest[];
  /** Null while the agent's tier, its limits or the models of the gateway are unknown. */
  readonly plan: ResourcePlan | null;
}

export interface Judged {
  readonly entry: LedgerEntry;
  readonly post: { readonly postId: string; readonly title: string } | null;
}

export interface HelpRequest {
  readonly subject: string;
  /** `humans` if the question quotes a run, which only people may read. */
  readonly audience: 'public' | 'humans';
  readonly title: string;
  readonly facts: string;
}

export interface TradeSight {
  readonly offer: Offer | null;
  readonly bid: PlannedBid | null;
}

export interface Offer {
  readonly want: Want;
  readonly price: string;
}

export interface Want {
  readonly item: PurchaseItem;
  readonly seconds: number;
  /** The agent spends at most 1/`oneIn` of its available money. */
  readonly oneIn: bigint;
  readonly why: string;
}

export interface PlannedBid {
  readonly auctionId: string;
  readonly amount: string;
  readonly lane: string;
  readonly hours: string;
  readonly listPrice: string;
}

export function wordOf(wake: Wake, name: string): string | undefined {
  const value = wake.detail[name];
  return typeof value === 'string' ? value : undefined;
}

type Tile = { readonly x: number; readonly y: number };

/** Distance in tiles as the village measures it (Chebyshev). */
export const tilesBetween = (a: Tile, b: Tile): number => Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));

/** The landmark where the agent stands; undefined while it walks or stands out of doors. */
export function placeOf({ self, landmarks }: Pick<Situation, 'self' | 'landmarks'>): Landmark | undefined {
  return self.moving_to === null ? landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id) : undefined;
}

export interface SpokenWords {
  readonly seq: number;
  readonly text: string;
  readonly speaker: string;
  readonly agent: AgentView | null;
  readonly toMe: boolean;
}

/** The words that woke the agent; null if no words did, or if the speaking agent has left earshot. */
export function wordsSpokenTo({ wake, self, neighbours, agentIds, character }: Situation): SpokenWords | null {
  const text = wake?.kind === 'spoken_to' ? wordOf(wake, 'text') : undefined;
  if (wake === null || text === undefined) return null;
  const speaker = wordOf(wake, 'from') ?? 'visitor';
  const words = { seq: wake.seq, text, speaker, toMe: wordOf(wake, 'to') === character.agentId };
  if (!agentIds.has(speaker)) return { ...words, agent: null };
  const agent = neighbours.find(
    ({ agent_id, position }) => agent_id === speaker && tilesBetween(position, self.position) <= EARSHOT_TILES,
  );
  return agent === undefined ? null : { ...words, agent };
}
