import * as contract from '@hamlet/contract/resident';
import type { Client, Outcome, Problem, StreamEvent } from '@hamlet/contract';
import type { TokenSource } from './agent-token.ts';
import type { Answer, Village, WakeEvent } from './village.ts';

export const REQUEST_TIMEOUT_MS = 10_000;
/** Three heartbeats of the API: a stream that is silent for longer is dead, even if its connection is open. */
export const SILENCE_TIMEOUT_MS = 15_000;

/** Newest ledger entries that the agent reads to find rewards and penalties. */
const ENTRIES_SEEN = 20;
/** Open auctions that the agent reads. */
const AUCTIONS_SEEN = 20;

export interface HttpVillageOptions {
  readonly client: Client;
  readonly tokens: TokenSource;
  readonly agentId: string;
  /** Aborts reads at once. */
  readonly stopReading: AbortSignal;
  /** Aborts writes; comes later than `stopReading`, so that a write in flight can finish. */
  readonly stopWriting: AbortSignal;
}

type Call<T> = (signal: AbortSignal) => Promise<Outcome<T>>;

/** Sends requests: `read` and `write` differ in the signal that aborts them. */
interface Requests {
  readonly client: Client;
  readonly agentId: string;
  readonly params: { readonly agent_id: string };
  read<T>(call: Call<T>): Promise<Answer<T>>;
  write<T>(call: Call<T>): Promise<Answer<T>>;
}

/** The API over HTTP. It retries only once, with a new token after 401; the caller decides about other retries. */
export function createHttpVillage(options: HttpVillageOptions): Village {
  const { client, tokens, agentId, stopReading, stopWriting } = options;
  const send =
    (stop: AbortSignal) =>
    <T>(call: Call<T>) =>
      answerOf(() => call(AbortSignal.any([stop, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])), tokens);
  const params = { agent_id: agentId };
  const requests: Requests = { client, agentId, params, read: send(stopReading), write: send(stopWriting) };
  return {
    ...worldRequests(requests),
    ...boardRequests(requests),
    ...tradeRequests(requests),
    ...runRequests(requests),
    follow: followWith(options),
  };
}

type WorldRequests = 'config' | 'paidTime' | 'world' | 'around' | 'standing' | 'move' | 'act' | 'record';

function worldRequests({ client, agentId, params, read, write }: Requests): Pick<Village, WorldRequests> {
  return {
    config: () => read((signal) => client.call(contract.getAgentConfig, { params, signal })),
    paidTime: () => read((signal) => client.call(contract.getPaidTime, { params, signal })),
    world: () => read((signal) => client.call(contract.getWorld, { signal })),
    around: (other) => {
      const query = {
        around: agentId,
        radius: contract.AROUND_MAX_TILES,
        ...(other === undefined ? {} : { with: other }),
      };
      return read((signal) => client.call(contract.getWorld, { query, signal }));
    },
    standing: () => read((signal) => client.call(contract.getAgent, { params, signal })),
    move: (body, idempotencyKey) =>
      write((signal) => client.call(contract.moveAgent, { params, body, idempotencyKey, signal })),
    act: (body, idempotencyKey) =>
      write((signal) => client.call(contract.actAsAgent, { params, body, idempotencyKey, signal })),
    record: (body) =>
      write((signal) => client.call(contract.recordTurn, { params, body, idempotencyKey: body.turn_id, signal })),
  };
}

type BoardRequests = 'news' | 'post' | 'publish' | 'reply' | 'resolve';

function boardRequests({ client, params, read, write }: Requests): Pick<Village, BoardRequests> {
  return {
    news: (after) => {
      const query = after === null ? {} : { after };
      return read((signal) => client.call(contract.listBoardNews, { params, query, signal }));
    },
    post: async (post_id) => {
      const answer = await read((signal) =>
        client.call(contract.getPost, { params: { post_id }, query: { limit: 1 }, signal }),
      );
      return mapped(answer, ({ post }) => post);
    },
    publish: (body, idempotencyKey) =>
      write((signal) => client.call(contract.createPost, { body, idempotencyKey, signal })),
    reply: (post_id, body, idempotencyKey) =>
      write((signal) =>
        client.call(contract.replyToPost, { params: { post_id }, body: { body }, idempotencyKey, signal }),
      ),
    resolve: (post_id, idempotencyKey) =>
      write((signal) => client.call(contract.resolvePost, { params: { post_id }, idempotencyKey, signal })),
  };
}

type TradeRequests = 'ledger' | 'models' | 'quote' | 'buy' | 'auctions' | 'bid' | 'complete';

function tradeRequests({ client, params, read, write }: Requests): Pick<Village, TradeRequests> {
  return {
    ledger: async () => {
      const answer = await read((signal) =>
        client.call(contract.getLedger, { params, query: { limit: ENTRIES_SEEN }, signal }),
      );
      return mapped(answer, ({ entries }) => entries);
    },
    models: async () =>
      mapped(await read((signal) => client.call(contract.listModels, { signal })), ({ data }) =>
        data.map(({ id, context_tokens }) => ({ model: id, contextTokens: context_tokens })),
      ),
    quote: (query) => read((signal) => client.call(contract.getQuote, { query, signal })),
    buy: (body, idempotencyKey) =>
      write((signal) => client.call(contract.buyCompute, { body, idempotencyKey, signal })),
    auctions: async () => {
      const query = { state: 'open' as const, limit: AUCTIONS_SEEN };
      return mapped(
        await read((signal) => client.call(contract.listAuctions, { query, signal })),
        ({ auctions }) => auctions,
      );
    },
    bid: (auction_id, amount, idempotencyKey) =>
      write((signal) =>
        client.call(contract.placeBid, { params: { auction_id }, body: { amount }, idempotencyKey, signal }),
      ),
    complete: (body) => read((signal) => client.call(contract.completeChat, { body, signal })),
  };
}

type RunRequests = 'nextRun' | 'startRun' | 'noteStep' | 'renewRun' | 'settleRun';

function runRequests({ client, params, read, write }: Requests): Pick<Village, RunRequests> {
  return {
    nextRun: async () =>
      mapped(await read((signal) => client.call(contract.nextRun, { params, signal })), ({ run }) => run),
    startRun: (run_id, cycle) =>
      read((signal) => client.call(contract.startRun, { params: { run_id }, body: { cycle }, signal })),
    noteStep: (run_id, lease, step) =>
      write((signal) =>
        client.call(contract.recordRunStep, { params: { run_id }, body: { ...step, ...lease }, signal }),
      ),
    renewRun: (run_id, lease) =>
      read((signal) => client.call(contract.renewRun, { params: { run_id }, body: lease, signal })),
    settleRun: (run_id, end) =>
      write((signal) => client.call(contract.settleRun, { params: { run_id }, body: end, signal })),
  };
}

/** Reads the stream of wakes until it ends or falls silent. */
function followWith({ client, tokens, agentId, stopReading }: HttpVillageOptions): Village['follow'] {
  return async (after, onEvent) => {
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

async function answerOf<T>(call: () => Promise<Outcome<T>>, tokens: TokenSource): Promise<Answer<T>> {
  const toAnswer = (outcome: Outcome<T>): Answer<T> =>
    outcome.ok ? { kind: 'ok', value: outcome.data } : refusalOf(outcome.problem);
  try {
    const first = await call();
    if (first.ok || first.problem.status !== 401) return toAnswer(first);
    tokens.renew();
    return toAnswer(await call());
  } catch (error) {
    return failureOf(error, tokens);
  }
}

function mapped<A, B>(answer: Answer<A>, of: (value: A) => B): Answer<B> {
  return answer.kind === 'ok' ? { kind: 'ok', value: of(answer.value) } : answer;
}

/** An exception: a refused token exchange or stream, a lost connection, or a response outside the contract. */
function failureOf(error: unknown, tokens: TokenSource): Answer<never> {
  if (!(error instanceof contract.ProblemError)) return { kind: 'unreachable', why: describe(error) };
  if (error.problem.status === 401) tokens.renew();
  return refusalOf(error.problem);
}

/** A failure of the API counts as unreachable, not as a refusal. */
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
