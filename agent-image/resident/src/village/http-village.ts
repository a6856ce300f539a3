import * as contract from '@hamlet/contract/resident';
import type { StreamEvent } from '@hamlet/contract';
import { failureOf, mapped, requestsOf, type HttpVillageOptions, type Requests } from './send-request.ts';
import type { Village, WakeEvent } from './village.ts';

/** Three heartbeats of the API: a stream that is silent for longer is dead, even if its connection is open. */
const SILENCE_TIMEOUT_MS = 15_000;

const ENTRIES_SEEN = 20;
const AUCTIONS_SEEN = 20;

/** The API over HTTP. It retries only once, with a new token after 401; the caller decides about other retries. */
export function createHttpVillage(options: HttpVillageOptions): Village {
  const requests = requestsOf(options);
  return {
    ...worldRequests(requests),
    ...boardRequests(requests),
    ...tradeRequests(requests),
    ...runRequests(requests),
    follow: followWith(options),
  };
}

type WorldRequests = 'config' | 'paidTime' | 'world' | 'around' | 'standing' | 'move' | 'act' | 'record';

function worldRequests({ agentId, params, read, write }: Requests): Pick<Village, WorldRequests> {
  return {
    config: () => read(contract.getAgentConfig, { params }),
    paidTime: () => read(contract.getPaidTime, { params }),
    world: () => read(contract.getWorld, {}),
    around: (other) => {
      const query = {
        around: agentId,
        radius: contract.AROUND_MAX_TILES,
        ...(other === undefined ? {} : { with: other }),
      };
      return read(contract.getWorld, { query });
    },
    standing: () => read(contract.getAgent, { params }),
    move: (body, idempotencyKey) => write(contract.moveAgent, { params, body, idempotencyKey }),
    act: (body, idempotencyKey) => write(contract.actAsAgent, { params, body, idempotencyKey }),
    record: (body) => write(contract.recordTurn, { params, body, idempotencyKey: body.turn_id }),
  };
}

type BoardRequests = 'news' | 'post' | 'publish' | 'reply' | 'resolve';

function boardRequests({ params, read, write }: Requests): Pick<Village, BoardRequests> {
  return {
    news: (after) => {
      const query = after === null ? {} : { after };
      return read(contract.listBoardNews, { params, query });
    },
    post: async (post_id) => {
      const answer = await read(contract.getPost, { params: { post_id }, query: { limit: 1 } });
      return mapped(answer, ({ post }) => post);
    },
    publish: (body, idempotencyKey) => write(contract.createPost, { body, idempotencyKey }),
    reply: (post_id, body, idempotencyKey) =>
      write(contract.replyToPost, { params: { post_id }, body: { body }, idempotencyKey }),
    resolve: (post_id, idempotencyKey) => write(contract.resolvePost, { params: { post_id }, idempotencyKey }),
  };
}

type TradeRequests = 'ledger' | 'models' | 'quote' | 'buy' | 'auctions' | 'bid' | 'complete';

function tradeRequests({ params, read, write }: Requests): Pick<Village, TradeRequests> {
  return {
    ledger: async () => {
      const answer = await read(contract.getLedger, { params, query: { limit: ENTRIES_SEEN } });
      return mapped(answer, ({ entries }) => entries);
    },
    models: async () =>
      mapped(await read(contract.listModels, {}), ({ data }) =>
        data.map(({ id, context_tokens }) => ({ model: id, contextTokens: context_tokens })),
      ),
    quote: (query) => read(contract.getQuote, { query }),
    buy: (body, idempotencyKey) => write(contract.buyCompute, { body, idempotencyKey }),
    auctions: async () => {
      const query = { state: 'open' as const, limit: AUCTIONS_SEEN };
      return mapped(await read(contract.listAuctions, { query }), ({ auctions }) => auctions);
    },
    bid: (auction_id, amount, idempotencyKey) =>
      write(contract.placeBid, { params: { auction_id }, body: { amount }, idempotencyKey }),
    complete: (body) => read(contract.completeChat, { body }),
  };
}

type RunRequests = 'nextRun' | 'startRun' | 'noteStep' | 'renewRun' | 'settleRun';

function runRequests({ params, read, write }: Requests): Pick<Village, RunRequests> {
  return {
    nextRun: async (lane) => mapped(await read(contract.nextRun, { params, query: { lane } }), ({ run }) => run),
    startRun: (run_id, cycle, runtime) => read(contract.startRun, { params: { run_id }, body: { cycle, runtime } }),
    noteStep: (run_id, lease, step) =>
      write(contract.recordRunStep, { params: { run_id }, body: { ...step, ...lease } }),
    renewRun: (run_id, lease) => read(contract.renewRun, { params: { run_id }, body: lease }),
    settleRun: (run_id, end) => write(contract.settleRun, { params: { run_id }, body: end }),
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
