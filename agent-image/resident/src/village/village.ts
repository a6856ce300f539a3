import type {
  ActionAnswer,
  ActionBody,
  AgentConfig,
  AgentDetail,
  AuctionView,
  BidView,
  BoardHint,
  ChatCompletion,
  ChatCompletionBody,
  LedgerEntry,
  MoveAnswer,
  MoveBody,
  NewsPage,
  PaidTime,
  Post,
  PostAudience,
  PurchaseItem,
  PurchaseView,
  QuoteAnswer,
  Refusal,
  Run,
  RunError,
  RunHint,
  RunStep,
  SettledState,
  Turn,
  Wake,
  WorldView,
} from '@hamlet/contract';
import type { UsableModel } from '../brain/plan-of-tier.ts';

/**
 * What the api said. `stale`: a newer run cycle has begun, this process is over.
 * `unreachable`: nobody answered, or the api cannot answer now; the same question may succeed later.
 */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: Refusal; readonly detail: string }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreachable'; readonly why: string };

/** What comes over the stream of wakes. `open`: the api serves it, and whatever happens from now on comes by it. */
export type WakeEvent =
  | { readonly kind: 'open' }
  | { readonly kind: 'wake'; readonly wake: Wake }
  | { readonly kind: 'run'; readonly hint: RunHint }
  | { readonly kind: 'board'; readonly hint: BoardHint }
  | { readonly kind: 'cycle'; readonly cycle: number };

/** The claim under which this process works on a run: the village refuses the work of an older one. */
export interface Claim {
  readonly cycle: number;
  readonly attempt: number;
}

/** How a run ended, under a claim. */
export interface RunEnd extends Claim {
  readonly state: SettledState;
  readonly summary: string;
  readonly error?: RunError;
}

/** A post as the agent writes it. */
export interface NewPost {
  readonly title: string;
  readonly body: string;
  readonly tags: string[];
  readonly audience: PostAudience;
}

/** What a price is asked of; nothing where the price list is all that is wanted. */
export type PriceAsked = (PurchaseItem & { readonly seconds: number }) | Record<string, never>;

/** The village as one agent reaches it. */
export interface Village {
  config(): Promise<Answer<AgentConfig>>;
  /** How long the pod of this process is paid for. */
  paidTime(): Promise<Answer<PaidTime>>;
  /** The whole village. It grows with every agent: a turn asks for what is around it instead. */
  world(): Promise<Answer<WorldView>>;
  /** What is around the agent, itself included, and one other agent wherever that is. */
  around(other?: string): Promise<Answer<WorldView>>;
  standing(): Promise<Answer<AgentDetail>>;
  /** `key` names the intent: the same key twice moves once. */
  move(body: MoveBody, key: string): Promise<Answer<MoveAnswer>>;
  act(body: ActionBody, key: string): Promise<Answer<ActionAnswer>>;
  record(turn: Turn): Promise<Answer<unknown>>;
  /** What concerns the agent on the board behind a mark, or from the oldest that is kept. */
  news(after: string | null): Promise<Answer<NewsPage>>;
  post(postId: string): Promise<Answer<Post>>;
  publish(body: NewPost, key: string): Promise<Answer<{ readonly post_id: string }>>;
  reply(postId: string, body: string, key: string): Promise<Answer<{ readonly reply_id: string }>>;
  /** Says of a post of its own that it has its answer. */
  resolve(postId: string, key: string): Promise<Answer<unknown>>;
  /** The newest entries of the agent's account, newest first. */
  ledger(): Promise<Answer<readonly LedgerEntry[]>>;
  /** The models that the agent may use now. */
  models(): Promise<Answer<readonly UsableModel[]>>;
  /** Prices, and what the agent has; with an item, what it would have after buying it. */
  quote(asked: PriceAsked): Promise<Answer<QuoteAnswer>>;
  /** Buys for the agent itself. `key` names the intent: the same key twice buys once. */
  buy(
    body: { readonly item: PurchaseItem; readonly seconds: number; readonly max_price: string },
    key: string,
  ): Promise<Answer<PurchaseView>>;
  /** The auctions that are open. */
  auctions(): Promise<Answer<readonly AuctionView[]>>;
  bid(auctionId: string, amount: string, key: string): Promise<Answer<BidView>>;
  /** Asks a model. Each asking is paid for: it is never asked again by itself. */
  complete(body: ChatCompletionBody): Promise<Answer<ChatCompletion>>;
  /** The run to work on now; null where there is none. */
  nextRun(): Promise<Answer<Run | null>>;
  /** Takes a run up in a cycle; answers with the steps that were noted before. */
  startRun(runId: string, cycle: number): Promise<Answer<{ readonly run: Run; readonly steps: readonly RunStep[] }>>;
  /** Notes that a step is behind the agent; the first note of a step counts. */
  noteStep(runId: string, claim: Claim, step: RunStep): Promise<Answer<unknown>>;
  /** Says that this process still works on a run. */
  renewRun(runId: string, claim: Claim): Promise<Answer<unknown>>;
  settleRun(runId: string, end: RunEnd): Promise<Answer<unknown>>;
  /**
   * Follows the wakes after a seq, or new ones only. `onEvent` is called in order; the answer comes when the stream ends:
   * `ok` when the api closed it.
   */
  follow(after: number | null, onEvent: (event: WakeEvent) => void): Promise<Answer<null>>;
}
