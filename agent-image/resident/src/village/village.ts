import type {
  LedgerEntry,
  AuctionView,
  ActionBody,
  BoardHint,
  CallData,
  ChatCompletionBody,
  Mind,
  MoveBody,
  PostAudience,
  PurchaseItem,
  QuoteQuery,
  Refusal,
  RunBudgets,
  RunError,
  RunHint,
  RunLane,
  RunStep,
  SettledState,
  StreamEvent,
  Turn,
  Wake,
} from '@hamlet/contract';
import * as contract from '@hamlet/contract/resident';
import { failureOf, mapped, requestsOf, type HttpVillageOptions, type Requests } from './send-request.ts';

/** The API's answer. `stale`: a newer cycle has begun, so this process must end. `unreachable`: a retry may succeed. */
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
  /** The whole answer as text. */
  readonly answer?: string;
  /** The answer of a run with an output schema, as JSON. */
  readonly output?: string;
  readonly usage?: { readonly steps: number; readonly tokens: number; readonly cost: string };
  /** Calls with an unknown outcome. */
  readonly unsettled?: string[];
}

export type StartedRun = CallData<typeof contract.startRun>;

export interface NewPost {
  readonly title: string;
  readonly body: string;
  readonly tags: string[];
  readonly audience: PostAudience;
}

/** The item of a quote, with its seconds; empty to request only the price list. The API checks it. */
export type PriceAsked = Readonly<Partial<Omit<QuoteQuery, 'agent_id'>>>;

interface Purchase {
  readonly item: PurchaseItem;
  readonly seconds: number;
  readonly max_price: string;
}

export type Village = ReturnType<typeof createHttpVillage>;

/** Three heartbeats of the API: a stream that is silent for longer is dead, even if its connection is open. */
const SILENCE_TIMEOUT_MS = 15_000;

const ENTRIES_SEEN = 20;
const AUCTIONS_SEEN = 20;

/** The API over HTTP. The only retry is one with a new token after 401; the caller decides about others. */
export function createHttpVillage(options: HttpVillageOptions) {
  const requests = requestsOf(options);
  return {
    ...worldRequests(requests),
    ...boardRequests(requests),
    ...tradeRequests(requests),
    ...runRequests(requests),
    follow: followWith(options),
  };
}

function worldRequests({ agentId, params, read, write }: Requests) {
  return {
    config: () => read(contract.getAgentConfig, { params }),
    paidTime: () => read(contract.getPaidTime, { params }),
    /** The whole world. It grows with every agent, so turns use `around`. */
    world: () => read(contract.getWorld, {}),
    /** The agent's surroundings, itself included, and one other agent at any distance. */
    around: (other?: string) => {
      const query = {
        around: agentId,
        radius: contract.AROUND_MAX_TILES,
        ...(other === undefined ? {} : { with: other }),
      };
      return read(contract.getWorld, { query });
    },
    standing: () => read(contract.getAgent, { params }),
    move: (body: MoveBody, idempotencyKey: string) => write(contract.moveAgent, { params, body, idempotencyKey }),
    act: (body: ActionBody, idempotencyKey: string) => write(contract.actAsAgent, { params, body, idempotencyKey }),
    record: (body: Turn): Promise<Answer<unknown>> =>
      write(contract.recordTurn, { params, body, idempotencyKey: body.turn_id }),
  };
}

function boardRequests({ params, read, write }: Requests) {
  return {
    /** The agent's news after a cursor; null begins with the oldest. */
    news: (after: string | null) => {
      const query = after === null ? {} : { after };
      return read(contract.listBoardNews, { params, query });
    },
    post: async (post_id: string) => {
      const answer = await read(contract.getPost, { params: { post_id }, query: { limit: 1 } });
      return mapped(answer, ({ post }) => post);
    },
    publish: (body: NewPost, idempotencyKey: string): Promise<Answer<{ readonly post_id: string }>> =>
      write(contract.createPost, { body, idempotencyKey }),
    reply: (post_id: string, body: string, idempotencyKey: string): Promise<Answer<{ readonly reply_id: string }>> =>
      write(contract.replyToPost, { params: { post_id }, body: { body }, idempotencyKey }),
    resolve: (post_id: string, idempotencyKey: string): Promise<Answer<unknown>> =>
      write(contract.resolvePost, { params: { post_id }, idempotencyKey }),
  };
}

function tradeRequests({ params, read, write, ask }: Requests) {
  return {
    ledger: async (): Promise<Answer<readonly LedgerEntry[]>> => {
      const answer = await read(contract.getLedger, { params, query: { limit: ENTRIES_SEEN } });
      return mapped(answer, ({ entries }) => entries);
    },
    models: async (): Promise<Answer<readonly string[]>> =>
      mapped(await read(contract.listModels, {}), ({ data }) => data.map(({ id }) => id)),
    /** The price list and the agent's balance; with an item, also its balance after the purchase. */
    quote: (query: PriceAsked) => read(contract.getQuote, { query }),
    buy: (body: Purchase, idempotencyKey: string) => write(contract.buyCompute, { body, idempotencyKey }),
    auctions: async (): Promise<Answer<readonly AuctionView[]>> => {
      const query = { state: 'open' as const, limit: AUCTIONS_SEEN };
      return mapped(await read(contract.listAuctions, { query }), ({ auctions }) => auctions);
    },
    bid: (auction_id: string, amount: string, idempotencyKey: string) =>
      write(contract.placeBid, { params: { auction_id }, body: { amount }, idempotencyKey }),
    /** Requests an answer from a model. Never retried, because each request costs money. */
    complete: (body: ChatCompletionBody) => read(contract.completeChat, { body }),
    /** Asks for a decision, or for facts. Turns continue meanwhile: the model may take minutes. */
    decide: (body: ChatCompletionBody, until?: AbortSignal) => ask(contract.completeChat, { body }, until),
  };
}

function runRequests({ params, read, write }: Requests) {
  return {
    nextRun: async (lane: RunLane) =>
      mapped(await read(contract.nextRun, { params, query: { lane } }), ({ run }) => run),
    /** Starts or continues a run in a cycle. `mind` works on it. */
    startRun: (run_id: string, cycle: number, mind: Mind) =>
      read(contract.startRun, { params: { run_id }, body: { cycle, runtime: mind.runtime, mind } }),
    /** Records a step; the first record of a step counts. */
    noteStep: (run_id: string, lease: RunLease, step: RunStep): Promise<Answer<unknown>> =>
      write(contract.recordRunStep, { params: { run_id }, body: { ...step, ...lease } }),
    /** The limits of the run as they are now, because people may raise them; null for a run without limits. `mind`: the one that is known now. */
    renewRun: async (run_id: string, lease: RunLease, mind?: Mind): Promise<Answer<RunBudgets | null>> => {
      const body = mind === undefined ? lease : { ...lease, mind };
      return mapped(await read(contract.renewRun, { params: { run_id }, body }), ({ run }) => run.budgets);
    },
    settleRun: (run_id: string, end: RunEnd): Promise<Answer<unknown>> =>
      write(contract.settleRun, { params: { run_id }, body: end }),
  };
}

/** Streams the wakes after number `after`, or new ones if null, to `onEvent` in order; `ok` when the API ends the stream. */
function followWith({ client, tokens, agentId, stopReading }: HttpVillageOptions) {
  return async (after: number | null, onEvent: (event: WakeEvent) => void): Promise<Answer<null>> => {
    let opened = false;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error('the stream of wakes fell silent')), SILENCE_TIMEOUT_MS);
    const input = {
      params: { agent_id: agentId },
      query: after === null ? {} : { after },
      signal: AbortSignal.any([stopReading, silence.signal]),
      onBytes: () => {
        timer.refresh();
        if (!opened) onEvent({ kind: 'open' });
        opened = true;
      },
    };
    try {
      for await (const event of client.open(contract.openWakes, input)) onEvent(wakeEventOf(event));
      return { kind: 'ok', value: null };
    } catch (error) {
      return failureOf(error, tokens);
    } finally {
      clearTimeout(timer);
    }
  };
}

function wakeEventOf(event: StreamEvent<typeof contract.openWakes>): WakeEvent {
  if (event.event === 'wake') return { kind: 'wake', wake: event.data };
  if (event.event === 'cycle') return { kind: 'cycle', cycle: event.data.cycle };
  if (event.event === 'board') return { kind: 'board', hint: event.data };
  return { kind: 'run', hint: event.data };
}
