/** Prices, funds and auctions for tests, and the part of a village that sells. */
import {
  formatAiDollars,
  parseAiDollars,
  type AuctionView,
  type BidView,
  type PurchaseItem,
  type QuoteAnswer,
} from '@hamlet/contract';
import type { Answer, PriceAsked, Village } from '../village/village.ts';
import { anId } from './a-board.ts';

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

/**
 * Prices and an agent's money, which a test sets, and the agent's purchases and bids. `keepsTierTo` is the least
 * balance that keeps the tier.
 */
export interface TestMarket {
  available: string;
  keepsTierTo: string;
  readonly auctions: AuctionView[];
  readonly asked: PriceAsked[];
  readonly bought: { readonly item: PurchaseItem; readonly max_price: string }[];
  readonly bids: { readonly auctionId: string; readonly amount: string }[];
  readonly script: Partial<Record<'quote' | 'buy' | 'auctions' | 'bid', Answer<never>[]>>;
}

export function aMarket(): TestMarket {
  return { available: '0', keepsTierTo: '0', auctions: [], asked: [], bought: [], bids: [], script: {} };
}

function hourPrice(item: PurchaseItem): string {
  switch (item.kind) {
    case 'quota':
      return PRICES[item.limit].per_hour;
    case 'model':
      return PRICES.models[item.model]?.per_hour ?? '0';
    case 'priority':
      return PRICES.priority.per_hour;
    case 'gpu':
      return PRICES.gpu.per_hour;
  }
}

function quoteOf({ available, keepsTierTo }: TestMarket, asked: PriceAsked): QuoteAnswer {
  const tier = 'tier-0';
  const agent = {
    agent_id: 'ada',
    balance: available,
    held: '0',
    available,
    tier,
    policy: 'ByBalance' as const,
    limits: null,
    purchases: [],
    next: null,
  };
  const item = 'kind' in asked ? (asked as PurchaseItem & { readonly seconds: number }) : null;
  if (item === null) return { as_of: AS_OF, price_list: PRICES, item: null, agent: { ...agent, after: null } };
  const price = (parseAiDollars(hourPrice(item)) * BigInt(item.seconds)) / 3_600n;
  const left = parseAiDollars(available) - price;
  const bought =
    item.kind === 'gpu' ? { kind: 'gpu' as const, lane: item.lane, resource_name: 'nvidia.com/gpu', count: 1 } : item;
  return {
    as_of: AS_OF,
    price_list: PRICES,
    item: {
      item: bought,
      seconds: item.seconds,
      starts_at: AS_OF,
      ends_at: AS_OF,
      price: formatAiDollars(price),
      free: true,
    },
    agent: {
      ...agent,
      after: {
        affordable: left >= 0n,
        missing: '0',
        balance: formatAiDollars(left),
        available: formatAiDollars(left),
        tier: left >= parseAiDollars(keepsTierTo) ? tier : null,
        limits: null,
      },
    },
  };
}

export function marketQuestions(market: TestMarket): Pick<Village, 'quote' | 'buy' | 'auctions' | 'bid'> {
  const scripted = (question: keyof TestMarket['script']): Answer<never> | undefined =>
    market.script[question]?.shift();
  const ok = <T>(value: T): Answer<T> => ({ kind: 'ok', value });
  return {
    quote: async (asked) => {
      market.asked.push(asked);
      return scripted('quote') ?? ok(quoteOf(market, asked));
    },
    buy: async ({ item, max_price }) => {
      const answer = scripted('buy');
      if (answer !== undefined) return answer;
      market.bought.push({ item, max_price });
      const bought =
        item.kind === 'gpu'
          ? { kind: 'gpu' as const, lane: item.lane, resource_name: 'nvidia.com/gpu', count: 1 }
          : item;
      return ok({
        purchase_id: anId(70),
        agent_id: 'ada',
        item: bought,
        price: max_price,
        ledger_entry_id: anId(71),
        auction_id: null,
        starts_at: AS_OF,
        ends_at: AS_OF,
        state: 'active',
        bought_by: { role: 'agent', id: 'ada' },
        bought_at: AS_OF,
      });
    },
    auctions: async () => scripted('auctions') ?? ok(market.auctions),
    bid: async (auctionId, amount) => {
      const answer = scripted('bid');
      if (answer !== undefined) return answer;
      market.bids.push({ auctionId, amount });
      market.auctions.forEach((auction, index) => {
        if (auction.auction_id === auctionId)
          market.auctions[index] = { ...auction, own_bid: aBid({ auction_id: auctionId, amount }) };
      });
      return ok(aBid({ auction_id: auctionId, amount }));
    },
  };
}
