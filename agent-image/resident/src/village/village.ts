import type {
  ActionAnswer,
  ActionBody,
  AgentConfig,
  AgentDetail,
  AuctionView,
  BidView,
  BoardHint,
  CallData,
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
  QuoteQuery,
  Refusal,
  Run,
  RunError,
  RunHint,
  RunLane,
  RunStep,
  SettledState,
  Turn,
  Wake,
  WorldView,
} from '@hamlet/contract';
import type { startRun } from '@hamlet/contract/resident';
import type { UsableModel } from '../brain/resource-plan.ts';

/** The API's answer. `stale`: a newer cycle has begun, this process must end. `unreachable`: a retry may succeed. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: Refusal; readonly detail: string }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreachable'; readonly why: string };

/** An event of the stream of wakes. `open`: the API serves the stream, which carries all later events. */
export type WakeEvent =
  | { readonly kind: 'open' }
  | { readonly kind: 'wake'; readonly wake: Wake }
  | { readonly kind: 'run'; readonly hint: RunHint }
  | { readonly kind: 'board'; readonly hint: BoardHint }
  | { readonly kind: 'cycle'; readonly cycle: number };

/** The lease under which this process works on a run. The API refuses requests under an older one. */
export interface RunLease {
  readonly cycle: number;
  readonly attempt: number;
}

export interface RunEnd extends RunLease {
  readonly state: SettledState;
  readonly summary: string;
  readonly error?: RunError;
  /** The whole answer in words. */
  readonly answer?: string;
  readonly usage?: { readonly steps: number; readonly tokens: number; readonly cost: string };
  /** Calls whose end is unknown. */
  readonly unsettled?: string[];
}

export type StartedRun = CallData<typeof startRun>;

export interface NewPost {
  readonly title: string;
  readonly body: string;
  readonly tags: string[];
  readonly audience: PostAudience;
}

/** The item of a quote, with its seconds; empty to ask for the price list alone. The API checks it. */
export type PriceAsked = Readonly<Partial<Omit<QuoteQuery, 'agent_id'>>>;

export interface Village {
  config(): Promise<Answer<AgentConfig>>;
  paidTime(): Promise<Answer<PaidTime>>;
  /** The whole world. It grows with every agent, so turns use `around`. */
  world(): Promise<Answer<WorldView>>;
  /** The agent's surroundings, itself included, and one other agent wherever it is. */
  around(other?: string): Promise<Answer<WorldView>>;
  standing(): Promise<Answer<AgentDetail>>;
  /** `key` is the idempotency key here and below. */
  move(body: MoveBody, key: string): Promise<Answer<MoveAnswer>>;
  act(body: ActionBody, key: string): Promise<Answer<ActionAnswer>>;
  record(turn: Turn): Promise<Answer<unknown>>;
  /** The agent's news after a cursor; null begins with the oldest. */
  news(after: string | null): Promise<Answer<NewsPage>>;
  post(postId: string): Promise<Answer<Post>>;
  publish(body: NewPost, key: string): Promise<Answer<{ readonly post_id: string }>>;
  reply(postId: string, body: string, key: string): Promise<Answer<{ readonly reply_id: string }>>;
  resolve(postId: string, key: string): Promise<Answer<unknown>>;
  ledger(): Promise<Answer<readonly LedgerEntry[]>>;
  models(): Promise<Answer<readonly UsableModel[]>>;
  /** The price list and the agent's balance; with an item, also its balance after the purchase. */
  quote(asked: PriceAsked): Promise<Answer<QuoteAnswer>>;
  buy(
    body: { readonly item: PurchaseItem; readonly seconds: number; readonly max_price: string },
    key: string,
  ): Promise<Answer<PurchaseView>>;
  auctions(): Promise<Answer<readonly AuctionView[]>>;
  bid(auctionId: string, amount: string, key: string): Promise<Answer<BidView>>;
  /** Asks a model. Never retried, since each request costs money. */
  complete(body: ChatCompletionBody): Promise<Answer<ChatCompletion>>;
  nextRun(lane: RunLane): Promise<Answer<Run | null>>;
  /** Starts or continues a run in a cycle. `runtime` names the runtime that works on it. */
  startRun(runId: string, cycle: number, runtime: string): Promise<Answer<StartedRun>>;
  /** Records a step; the first record of a step counts. */
  noteStep(runId: string, lease: RunLease, step: RunStep): Promise<Answer<unknown>>;
  renewRun(runId: string, lease: RunLease): Promise<Answer<unknown>>;
  settleRun(runId: string, end: RunEnd): Promise<Answer<unknown>>;
  /**
   * Streams the wakes after number `after`, or new ones if null, to `onEvent` in order; `ok` when the API ends the
   * stream.
   */
  follow(after: number | null, onEvent: (event: WakeEvent) => void): Promise<Answer<null>>;
}
