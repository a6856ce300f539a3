import type {
  ActionBody,
  AuctionView,
  BoardNews,
  ChatCompletion,
  ChatCompletionBody,
  LedgerEntry,
  MoveBody,
  Post,
  PurchaseItem,
  PurchaseView,
  Run,
  RunStep,
  Turn,
} from '@hamlet/contract';
import type { Answer, NewPost, PriceAsked, RunEnd, StartedRun, Village, WakeEvent } from '../village/village.ts';
import { aBid, anId, AS_OF, quoteOf } from './a-board.ts';
import { aConfig, aStanding, aWorld } from './a-village.ts';

export const DOWN: Answer<never> = { kind: 'unreachable', why: 'connection refused' };
export const STALE: Answer<never> = { kind: 'stale' };
export const ok = <T>(value: T): Answer<T> => ({ kind: 'ok', value });
const refused = (code: 'no_such_post' | 'no_such_run'): Answer<never> => ({ kind: 'refused', code, detail: 'none' });

/** Answers that replace the usual ones, by question, in order. */
type Script = Partial<Record<keyof Village, Answer<never>[]>>;

/** Values that a test sets, and requests that the village has received. */
const aRecord = (script: Script) => ({
  script,
  commands: [] as (MoveBody | ActionBody)[],
  keys: [] as string[],
  turns: [] as Turn[],
  followedAfter: [] as (number | null)[],
  /** Waiting runs, oldest first. The first one stays the next run until it is settled. */
  runs: [] as Run[],
  steps: [] as RunStep[],
  settled: [] as RunEnd[],
  onTurn: (_turn: Turn, _count: number): void => {},
  send: (_event: WakeEvent): void => {},
  /** Ends the open stream with this answer. */
  hangUp: (_answer: Answer<null>): void => {},
  boardKit: {
    script,
    news: [] as BoardNews[],
    posts: [] as Post[],
    entries: [] as LedgerEntry[],
    published: [] as NewPost[],
    replies: [] as { readonly postId: string; readonly body: string }[],
    resolved: [] as string[],
    asked: [] as ChatCompletionBody[],
  },
  market: {
    script,
    available: '0',
    /** The lowest balance that keeps the tier. */
    keepsTierTo: '0',
    auctions: [] as AuctionView[],
    asked: [] as PriceAsked[],
    bought: [] as { readonly item: PurchaseItem; readonly max_price: string }[],
    bids: [] as { readonly auctionId: string; readonly amount: string }[],
  },
});
type Recorded = ReturnType<typeof aRecord>;
type Questions<Q extends keyof Village> = Pick<Village, Q>;

/** A village with scripted answers, which records requests and lets the test send wakes. */
export type ScriptedVillage = Recorded & { -readonly [Q in keyof Village]: Village[Q] };

export function scriptedVillage(): ScriptedVillage {
  const record = aRecord({});
  const answers = { ...worldAnswers(record), ...boardAnswers(record), ...marketAnswers(record), ...runAnswers(record) };
  const scripted = Object.entries(answers).map(([question, answer]) => [
    question,
    async (...given: never[]) => {
      note(record, question, given);
      return record.script[question as keyof Village]?.shift() ?? (answer as (...each: never[]) => unknown)(...given);
    },
  ]);
  const village = Object.assign(record, Object.fromEntries(scripted) as ScriptedVillage);
  // Everything in a scripted village is near the agent.
  return Object.assign(village, { around: () => village.world() });
}

/** Records a request, even if the test then treats it or its answer as lost. */
function note(
  { commands, keys, followedAfter, boardKit, market }: Recorded,
  question: string,
  [body, key]: readonly unknown[],
): void {
  if (question === 'move' || question === 'act') {
    commands.push(body as MoveBody);
    keys.push(key as string);
  }
  if (question === 'follow') followedAfter.push(body as number | null);
  if (question === 'complete') boardKit.asked.push(body as ChatCompletionBody);
  if (question === 'quote') market.asked.push(body as PriceAsked);
}

type World = 'config' | 'paidTime' | 'world' | 'standing' | 'move' | 'act' | 'record' | 'follow';

const worldAnswers = (record: Recorded): Questions<World> => ({
  config: async () => ok(aConfig()),
  paidTime: async () => ok({ paid_until: null, now: '2026-01-01T00:00:00Z' }),
  world: async () => ok(aWorld()),
  standing: async () => ok(aStanding()),
  move: async () =>
    ok({ accepted_seq: 2, from: { x: 0, y: 0 }, to: { x: 1, y: 1 }, start_tick: 1, arrives_tick: 9, path_tiles: 2 }),
  act: async () => {
    const event = { kind: 'emote' as const, seq: 3, tick: 1, agent_id: 'ada', emote: 'smile' as const };
    return ok({ accepted_seq: 3, durable_seq: 3, event });
  },
  record: async (turn) => {
    record.turns.push(turn);
    record.onTurn(turn, record.turns.length);
    return ok({ turn_id: turn.turn_id });
  },
  follow: (_after, onEvent) => {
    const { promise, resolve } = Promise.withResolvers<Answer<null>>();
    record.send = onEvent;
    record.hangUp = resolve;
    return promise;
  },
});

type Board = 'news' | 'post' | 'publish' | 'reply' | 'resolve' | 'ledger' | 'models' | 'complete';

/** After the agent's reply to a post, the news about that post count as answered. */
const boardAnswers = ({ boardKit }: Recorded): Questions<Board> => ({
  news: async (after) =>
    ok({ agent_id: 'ada', news: boardKit.news.slice(Number(after ?? 0)), next_after: String(boardKit.news.length) }),
  post: async (postId) => {
    const post = boardKit.posts.find(({ post_id }) => post_id === postId);
    return post === undefined ? refused('no_such_post') : ok(post);
  },
  publish: async (post) => ok({ post_id: anId(100 + boardKit.published.push(post)) }),
  reply: async (postId, body) => {
    boardKit.news.forEach((each, index) => {
      if (each.post.post_id === postId) boardKit.news[index] = { ...each, answered: true };
    });
    return ok({ reply_id: anId(200 + boardKit.replies.push({ postId, body })) });
  },
  resolve: async (postId) => ok(boardKit.resolved.push(postId)),
  ledger: async () => ok(boardKit.entries),
  models: async () => ok([]),
  complete: async ({ model }) => {
    const choices = [{ message: { content: `${model} wrote this.` } }];
    const usage = { total_tokens: 4 };
    return ok({ model, hamlet: { scripted: true }, choices, usage } as unknown as ChatCompletion);
  },
});

const marketAnswers = ({ market }: Recorded): Questions<'quote' | 'buy' | 'auctions' | 'bid'> => ({
  quote: async (asked) => ok(quoteOf(market, asked)),
  buy: async ({ item, max_price }) => {
    market.bought.push({ item, max_price });
    return ok({ purchase_id: anId(70), price: max_price, ends_at: AS_OF } as PurchaseView);
  },
  auctions: async () => ok(market.auctions),
  bid: async (auctionId, amount) => {
    market.bids.push({ auctionId, amount });
    const own_bid = aBid({ auction_id: auctionId, amount });
    market.auctions.forEach((auction, index) => {
      if (auction.auction_id === auctionId) market.auctions[index] = { ...auction, own_bid };
    });
    return ok(own_bid);
  },
});

const BUDGETS = { steps: 100, tokens: 100_000, money: '1', timeMs: 3_600_000, idleCalls: 10 };
const STARTED = { permissions: [], policy: null, session: null, repository: null, author: null, offer: null };

type Runs = 'nextRun' | 'startRun' | 'noteStep' | 'renewRun' | 'settleRun';

const runAnswers = ({ runs, steps, settled }: Recorded): Questions<Runs> => ({
  nextRun: async (lane) => ok(lane === 'task' ? (runs[0] ?? null) : null),
  startRun: async (runId) => {
    const run = runs.find(({ run_id }) => run_id === runId);
    return run === undefined ? refused('no_such_run') : ok<StartedRun>({ ...STARTED, budgets: BUDGETS, run, steps });
  },
  noteStep: async (_runId, _lease, step) => ok(steps.push(step)),
  renewRun: async () => ok(null),
  settleRun: async (_runId, end) => {
    runs.shift();
    return ok(settled.push(end));
  },
});
