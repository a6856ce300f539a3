import {
  actAsAgent,
  AROUND_MAX_TILES,
  buyCompute,
  completeChat,
  createPost,
  getAgent,
  getAgentConfig,
  getLedger,
  getPaidTime,
  getPost,
  getQuote,
  getWorld,
  listAuctions,
  listBoardNews,
  listModels,
  moveAgent,
  nextRun,
  openWakes,
  placeBid,
  ProblemError,
  recordRunStep,
  recordTurn,
  renewRun,
  replyToPost,
  resolvePost,
  settleRun,
  startRun,
} from '@hamlet/contract/resident';
import type { Client, Outcome, Problem, StreamEvent } from '@hamlet/contract';
import type { TokenSource } from './agent-token.ts';
import type { Answer, Village, WakeEvent } from './village.ts';

/** A request without an answer for so long is given up. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Three heartbeats of the api: a stream silent for longer is dead, even if nothing closed it. */
export const SILENCE_TIMEOUT_MS = 15_000;

/** Entries of the account that are looked at for who has judged the agent. */
const ENTRIES_SEEN = 20;
/** Open auctions that are looked at. */
const AUCTIONS_SEEN = 20;

export interface HttpVillageOptions {
  readonly client: Client;
  readonly tokens: TokenSource;
  readonly agentId: string;
  /** Ends reading at once: whoever reads has nothing to lose. */
  readonly stopReading: AbortSignal;
  /** Ends writing: comes later, so that a write in flight is finished. */
  readonly stopWriting: AbortSignal;
}

/** How the agent asks: which requests are whose, and when they are given up. */
interface Line {
  readonly client: Client;
  readonly agentId: string;
  readonly params: { readonly agent_id: string };
  readonly ask: <T>(call: () => Promise<Outcome<T>>) => Promise<Answer<T>>;
  readonly reading: () => AbortSignal;
  readonly writing: () => AbortSignal;
}

/** The world, and what the village knows of the agent. */
function worldCalls({
  client,
  agentId,
  params,
  ask,
  reading,
  writing,
}: Line): Pick<Village, 'config' | 'paidTime' | 'world' | 'around' | 'standing' | 'move' | 'act' | 'record'> {
  return {
    config: () => ask(() => client.call(getAgentConfig, { params, signal: reading() })),
    paidTime: () => ask(() => client.call(getPaidTime, { params, signal: reading() })),
    world: () => ask(() => client.call(getWorld, { signal: reading() })),
    around: (other) =>
      ask(() =>
        client.call(getWorld, {
          query: { around: agentId, radius: AROUND_MAX_TILES, ...(other === undefined ? {} : { with: other }) },
          signal: reading(),
        }),
      ),
    standing: () => ask(() => client.call(getAgent, { params, signal: reading() })),
    move: (body, idempotencyKey) =>
      ask(() => client.call(moveAgent, { params, body, idempotencyKey, signal: writing() })),
    act: (body, idempotencyKey) =>
      ask(() => client.call(actAsAgent, { params, body, idempotencyKey, signal: writing() })),
    record: (body) =>
      ask(() => client.call(recordTurn, { params, body, idempotencyKey: body.turn_id, signal: writing() })),
  };
}

/** The board. */
function boardCalls({
  client,
  params,
  ask,
  reading,
  writing,
}: Line): Pick<Village, 'news' | 'post' | 'publish' | 'reply' | 'resolve'> {
  return {
    news: (after) =>
      ask(() => client.call(listBoardNews, { params, query: after === null ? {} : { after }, signal: reading() })),
    post: async (post_id) =>
      mapped(
        await ask(() => client.call(getPost, { params: { post_id }, query: { limit: 1 }, signal: reading() })),
        ({ post }) => post,
      ),
    publish: (body, idempotencyKey) => ask(() => client.call(createPost, { body, idempotencyKey, signal: writing() })),
    reply: (post_id, body, idempotencyKey) =>
      ask(() => client.call(replyToPost, { params: { post_id }, body: { body }, idempotencyKey, signal: writing() })),
    resolve: (post_id, idempotencyKey) =>
      ask(() => client.call(resolvePost, { params: { post_id }, idempotencyKey, signal: writing() })),
  };
}

/** Money, models and what they buy. */
function tradeCalls({
  client,
  params,
  ask,
  reading,
  writing,
}: Line): Pick<Village, 'ledger' | 'models' | 'quote' | 'buy' | 'auctions' | 'bid' | 'complete'> {
  return {
    ledger: async () =>
      mapped(
        await ask(() => client.call(getLedger, { params, query: { limit: ENTRIES_SEEN }, signal: reading() })),
        ({ entries }) => entries,
      ),
    models: async () =>
      mapped(await ask(() => client.call(listModels, { signal: reading() })), ({ data }) =>
        data.map(({ id, context_tokens }) => ({ model: id, contextTokens: context_tokens })),
      ),
    quote: (query) => ask(() => client.call(getQuote, { query, signal: reading() })),
    buy: (body, idempotencyKey) => ask(() => client.call(buyCompute, { body, idempotencyKey, signal: writing() })),
    auctions: async () =>
      mapped(
        await ask(() =>
          client.call(listAuctions, { query: { state: 'open', limit: AUCTIONS_SEEN }, signal: reading() }),
        ),
        ({ auctions }) => auctions,
      ),
    bid: (auction_id, amount, idempotencyKey) =>
      ask(() => client.call(placeBid, { params: { auction_id }, body: { amount }, idempotencyKey, signal: writing() })),
    complete: (body) => ask(() => client.call(completeChat, { body, signal: reading() })),
  };
}

/** Runs. */
function runCalls({
  client,
  params,
  ask,
  reading,
  writing,
}: Line): Pick<Village, 'nextRun' | 'startRun' | 'noteStep' | 'renewRun' | 'settleRun'> {
  return {
    nextRun: async () => mapped(await ask(() => client.call(nextRun, { params, signal: reading() })), ({ run }) => run),
    startRun: (run_id, cycle) =>
      ask(() => client.call(startRun, { params: { run_id }, body: { cycle }, signal: reading() })),
    noteStep: (run_id, claim, step) =>
      ask(() => client.call(recordRunStep, { params: { run_id }, body: { ...step, ...claim }, signal: writing() })),
    renewRun: (run_id, claim) =>
      ask(() => client.call(renewRun, { params: { run_id }, body: claim, signal: reading() })),
    settleRun: (run_id, end) => ask(() => client.call(settleRun, { params: { run_id }, body: end, signal: writing() })),
  };
}

/** The stream of wakes, until it ends or falls silent. */
function followWith({ client, tokens, stopReading }: HttpVillageOptions, params: Line['params']): Village['follow'] {
  return async (after, onEvent) => {
    let opened = false;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error('the stream of wakes fell silent')), SILENCE_TIMEOUT_MS);
    const input = {
      params,
      query: after === null ? {} : { after },
      signal: AbortSignal.any([stopReading, silence.signal]),
      onBytes: () => {
        timer.refresh();
        if (!opened) onEvent({ kind: 'open' });
        opened = true;
      },
    };
    try {
      for await (const event of client.open(openWakes, input)) onEvent(wakeEventOf(event));
      return { kind: 'ok', value: null };
    } catch (error) {
      return failureOf(error, tokens);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The village over HTTP. Nothing here tries again except once with a new token: the loop decides when. */
export function createHttpVillage(options: HttpVillageOptions): Village {
  const { client, tokens, agentId, stopReading, stopWriting } = options;
  const params = { agent_id: agentId };
  const line: Line = {
    client,
    agentId,
    params,
    ask: (call) => askVillage(call, tokens),
    reading: () => AbortSignal.any([stopReading, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    writing: () => AbortSignal.any([stopWriting, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  };
  return {
    ...worldCalls(line),
    ...boardCalls(line),
    ...tradeCalls(line),
    ...runCalls(line),
    follow: followWith(options, params),
  };
}

function wakeEventOf(event: StreamEvent<typeof openWakes>): WakeEvent {
  if (event.event === 'wake') return { kind: 'wake', wake: event.data };
  if (event.event === 'cycle') return { kind: 'cycle', cycle: event.data.cycle };
  if (event.event === 'board') return { kind: 'board', hint: event.data };
  return { kind: 'run', hint: event.data };
}

async function askVillage<T>(call: () => Promise<Outcome<T>>, tokens: TokenSource): Promise<Answer<T>> {
  try {
    const first = await call();
    if (first.ok || first.problem.status !== 401) return present(first);
    tokens.renew();
    return present(await call());
  } catch (error) {
    return failureOf(error, tokens);
  }
}

function mapped<A, B>(answer: Answer<A>, of: (value: A) => B): Answer<B> {
  return answer.kind === 'ok' ? { kind: 'ok', value: of(answer.value) } : answer;
}

function present<T>(outcome: Outcome<T>): Answer<T> {
  return outcome.ok ? { kind: 'ok', value: outcome.data } : refusalOf(outcome.problem);
}

/** An exception on the way: a refusal of the token exchange or of a stream, a lost connection, an answer outside the contract. */
function failureOf(error: unknown, tokens: TokenSource): Answer<never> {
  if (!(error instanceof ProblemError)) return { kind: 'unreachable', why: describe(error) };
  if (error.problem.status === 401) tokens.renew();
  return refusalOf(error.problem);
}

/** A newer cycle means that this process is over; a failure of the api is no refusal. */
function refusalOf({ code, detail, status }: Problem): Answer<never> {
  if (code === 'stale_cycle') return { kind: 'stale' };
  if (status >= 500 || code === 'rate_limited' || status === 401)
    return { kind: 'unreachable', why: `${code}: ${detail}` };
  return { kind: 'refused', code, detail };
}

/** The cause of a failed fetch says more than its message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
