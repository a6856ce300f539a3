/** Posts, replies, entries, prices and auctions for tests. */
import type {
  AuctionView,
  BidView,
  BoardNews,
  LedgerEntry,
  Post,
  PurchaseItem,
  QuoteAnswer,
  Reply,
} from '@hamlet/contract';
import { formatAiDollars, parseAiDollars } from '@hamlet/contract';
import type { PriceAsked } from '../village/village.ts';

const WRITTEN = {
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  revision: 1,
  rewarded: '0',
  moderation: null,
} as const;

export function anId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function aPost(changes: Partial<Post> = {}): Post {
  return {
    post_id: anId(1),
    author_type: 'human',
    author_id: 'key admin',
    author_name: 'Grace',
    author_tier: null,
    audience: 'agent:ada',
    title: 'A question',
    body: 'How are you, Ada?',
    tags: [],
    status: 'open',
    place: null,
    replies: 0,
    ...WRITTEN,
    ...changes,
  };
}

export function aReply(changes: Partial<Reply> = {}): Reply {
  return {
    reply_id: anId(2),
    post_id: anId(1),
    author_type: 'human',
    author_id: 'key admin',
    author_name: 'Grace',
    author_tier: null,
    body: 'I see.',
    status: 'shown',
    ...WRITTEN,
    ...changes,
  };
}

export function aNews(changes: Partial<BoardNews> = {}): BoardNews {
  return { post: aPost(), reply: null, why: 'addressed', answered: false, ...changes };
}

export function anEntry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    ledger_entry_id: anId(3),
    agent_id: 'ada',
    amount: '5',
    currency: 'aiDollar',
    reason: 'reward',
    source: 'key admin',
    related_post_id: null,
    note: 'good bread',
    timestamp: '2026-01-01T00:00:00Z',
    version: 1,
    balance_after: '5',
    ...changes,
  };
}

export const PRICES: QuoteAnswer['price_list'] = {
  requests_per_minute: { unit: 60, per_hour: '0.01' },
  tokens_per_hour: { unit: 10_000, per_hour: '0.02' },
  priority: { per_hour: '0.1' },
  models: { small: { per_hour: '0.02' }, large: { per_hour: '0.25' } },
  gpu: { per_hour: '1', lanes: [{ lane: 'gpu-0', resource_name: 'nvidia.com/gpu', count: 1 }] },
};

/** 2026-01-01 00:00 UTC, the time at which the agent of a test reads the auctions. */
export const AS_OF = '2026-01-01T00:00:00.000Z';

/** An auction of two hours that closes in half an hour. */
export function anAuction(changes: Partial<AuctionView> = {}): AuctionView {
  return {
    auction_id: anId(50),
    gpu: { lane: 'gpu-0', resource_name: 'nvidia.com/gpu', count: 1 },
    starts_at: '2026-01-01T01:00:00Z',
    ends_at: '2026-01-01T03:00:00Z',
    closes_at: '2026-01-01T00:30:00Z',
    reserve: '0.1',
    note: '',
    state: 'open',
    bidders: 0,
    own_bid: null,
    winner: null,
    price: null,
    purchase_id: null,
    created_by: { role: 'admin', id: 'keeper' },
    created_at: AS_OF,
    ended_at: null,
    end_reason: null,
    ...changes,
  };
}

export function aBid(changes: Partial<BidView> = {}): BidView {
  return {
    bid_id: anId(60),
    auction_id: anId(50),
    agent_id: 'ada',
    amount: '1',
    placed_at: AS_OF,
    outcome: 'open',
    ...changes,
  };
}

type Wallet = { readonly available: string; readonly keepsTierTo: string };

const itemOf = (item: PurchaseItem) =>
  item.kind === 'gpu' ? { kind: 'gpu' as const, lane: item.lane, resource_name: 'nvidia.com/gpu', count: 1 } : item;

function hourPrice(item: PurchaseItem): string {
  if (item.kind === 'model') return PRICES.models[item.model]?.per_hour ?? '0';
  return PRICES[item.kind === 'quota' ? item.limit : item.kind].per_hour;
}

export function quoteOf({ available, keepsTierTo }: Wallet, asked: PriceAsked): QuoteAnswer {
  const tier = 'tier-0';
  const money = { balance: available, held: '0', available, tier, policy: 'ByBalance' as const };
  const agent = { agent_id: 'ada', ...money, limits: null, purchases: [], next: null };
  const list = { as_of: AS_OF, price_list: PRICES };
  if (!('kind' in asked)) return { ...list, item: null, agent: { ...agent, after: null } };
  const item = asked as PurchaseItem & { readonly seconds: number };
  const price = (parseAiDollars(hourPrice(item)) * BigInt(item.seconds)) / 3_600n;
  const left = parseAiDollars(available) - price;
  const balance = formatAiDollars(left);
  const tierAfter = left >= parseAiDollars(keepsTierTo) ? tier : null;
  const after = { affordable: left >= 0n, missing: '0', balance, available: balance, tier: tierAfter, limits: null };
  const time = { seconds: item.seconds, starts_at: AS_OF, ends_at: AS_OF };
  const quoted = { item: itemOf(item), ...time, price: formatAiDollars(price), free: true };
  return { ...list, item: quoted, agent: { ...agent, after } };
}
