import type { BoardNews, LedgerEntry } from '@hamlet/contract';
import type { Need } from './need.ts';
import type { ResourcePlan } from '../plan-of-tier.ts';

/** An entry of the account by which somebody judged the agent, and the post it is about, where that can be found. */
export interface Judged {
  readonly entry: LedgerEntry;
  readonly post: { readonly postId: string; readonly title: string } | null;
}

/** What the agent knows in one turn of the board, its account and its means. */
export interface BoardSight {
  /** What concerns it and was not read before, oldest first. */
  readonly news: readonly BoardNews[];
  /** Where reading goes on once all of `news` is done with; null where nothing was read. */
  readonly nextAfter: string | null;
  /** Rewards and penalties that it has not answered, oldest first. */
  readonly judged: readonly Judged[];
  /** The newest entry of its account, if it has looked. */
  readonly entry: number | null;
  readonly balance: string | null;
  readonly needs: readonly Need[];
  /** Null as long as its tier, its limits or the models of the gateway are not known. */
  readonly plan: ResourcePlan | null;
}
