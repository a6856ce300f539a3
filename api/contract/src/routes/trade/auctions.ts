import { z } from 'zod';
import { AiDollars, Amount } from '../../money.ts';
import { plainText } from '../../plain-text.ts';
import { defineRoute } from '../../route.ts';
import { AgentId, Time } from '../scalars.ts';
import { GpuLane, Lane } from './price-list.ts';

/** Between the end of the bidding and the window there is at least this, for the auction to be settled in. */
export const AUCTION_LEAD_SECONDS = 5;
export const AUCTION_PAGE_MAX = 100;
const NOTE_MAX = 500;

/** `sold`: settled with a winner. `unsold`: nobody bid who could have it. `lapsed`: not settled before its window began, so nobody pays. */
export const AUCTION_STATES = ['open', 'sold', 'unsold', 'cancelled', 'lapsed'] as const;
export type AuctionState = (typeof AUCTION_STATES)[number];

/** `replaced`: by a higher bid of the same agent. `passed_over`: the agent could not have the window. `returned`: nobody won. */
export const BID_OUTCOMES = ['open', 'replaced', 'won', 'lost', 'passed_over', 'returned'] as const;
export type BidOutcome = (typeof BID_OUTCOMES)[number];

/** An agent's bid. Its money is held until the auction ends. */
export const BidView = z.strictObject({
  bid_id: z.uuid(),
  auction_id: z.uuid(),
  agent_id: AgentId,
  amount: AiDollars,
  placed_at: Time,
  outcome: z.enum(BID_OUTCOMES),
});
export type BidView = z.infer<typeof BidView>;

/** An exclusive GPU window for whoever bids the most; the winner pays what the second has bid, at least the reserve. */
export const AuctionView = z.strictObject({
  auction_id: z.uuid(),
  gpu: GpuLane,
  starts_at: Time,
  ends_at: Time,
  closes_at: Time.meta({ description: 'Bids are taken until then' }),
  reserve: AiDollars.meta({ description: 'The least that a bid may be' }),
  note: z.string(),
  state: z.enum(AUCTION_STATES),
  bidders: z.int().min(0),
  own_bid: BidView.nullable().meta({ description: 'The bid of the agent that asks' }),
  winner: AgentId.nullable(),
  price: AiDollars.nullable().meta({ description: 'What the winner paid' }),
  purchase_id: z.uuid().nullable(),
  created_by: z.strictObject({ role: z.string(), id: z.string() }),
  created_at: Time,
  ended_at: Time.nullable(),
  end_reason: z.string().nullable(),
});
export type AuctionView = z.infer<typeof AuctionView>;

const AuctionParams = z.strictObject({ auction_id: z.uuid() });
const auctions = { tag: 'economy', placement: 'versioned_and_bare', audiences: ['people', 'agents'] } as const;
const read = { ...auctions, method: 'GET', permission: 'trade:read', idempotency: 'read' } as const;

export const openAuction = defineRoute({
  ...auctions,
  name: 'openAuction',
  summary: 'Offer an exclusive GPU window to whoever bids the most; the window is set aside at once',
  method: 'POST',
  path: '/auctions',
  permission: 'auction:run',
  idempotency: 'key',
  body: z.strictObject({
    lane: Lane,
    starts_at: Time,
    ends_at: Time,
    closes_at: Time.meta({ description: `At least ${AUCTION_LEAD_SECONDS} s before the window begins` }),
    reserve: Amount,
    note: plainText(NOTE_MAX, 0).default(''),
  }),
  status: 201,
  answer: { kind: 'json', schema: AuctionView },
  reasons: ['not_for_sale', 'window_taken', 'window_out_of_range'],
});

export const listAuctions = defineRoute({
  ...read,
  name: 'listAuctions',
  summary: 'Auctions of GPU windows, newest first',
  path: '/auctions',
  query: z.strictObject({
    state: z.enum(AUCTION_STATES).optional(),
    cursor: z.string().max(256).optional(),
    limit: z.coerce.number().int().min(1).max(AUCTION_PAGE_MAX).default(20),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ auctions: z.array(AuctionView), next_cursor: z.string().nullable() }),
  },
  reasons: ['cursor_invalid'],
});

export const getAuction = defineRoute({
  ...read,
  name: 'getAuction',
  summary: 'One auction; its bids are shown once it has ended',
  path: '/auctions/{auction_id}',
  params: AuctionParams,
  answer: {
    kind: 'json',
    schema: AuctionView.extend({
      bids: z.array(BidView).meta({ description: 'Highest first; none while it is open' }),
    }),
  },
  reasons: ['no_such_auction'],
});

export const placeBid = defineRoute({
  ...auctions,
  name: 'placeBid',
  summary: "Bid in an auction; the money is held until it ends. A higher bid replaces the agent's own earlier one",
  method: 'POST',
  path: '/auctions/{auction_id}/bids',
  permission: 'auction:bid',
  idempotency: 'key',
  params: AuctionParams,
  body: z.strictObject({ amount: Amount }),
  status: 201,
  answer: { kind: 'json', schema: BidView },
  reasons: [
    'no_such_auction',
    'auction_closed',
    'bid_too_low',
    'no_such_agent',
    'account_closed',
    'insufficient_funds',
    'village_frozen',
  ],
});

export const cancelAuction = defineRoute({
  ...auctions,
  name: 'cancelAuction',
  summary: 'Call an open auction off: every bid is returned and the window is free again',
  method: 'POST',
  path: '/auctions/{auction_id}/cancel',
  permission: 'auction:run',
  idempotency: 'key',
  params: AuctionParams,
  body: z.strictObject({ reason: plainText(NOTE_MAX) }),
  answer: { kind: 'json', schema: AuctionView },
  reasons: ['no_such_auction', 'auction_closed', 'village_frozen'],
});
