import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AiDollars, Amount } from '../../values/money.ts';
import { AgentId, NEXT_CURSOR, paging, plainText, Time } from '../../values/scalars.ts';
import { GpuLane, Lane } from './price-list.ts';

/** Minimum time from the end of the bidding to the window, in which the API settles the auction. */
export const AUCTION_LEAD_SECONDS = 5;
const NOTE_MAX = 500;

/** `unsold`: no eligible bid. `lapsed`: not settled before its window began, so no agent pays. */
export const AUCTION_STATES = ['open', 'sold', 'unsold', 'cancelled', 'lapsed'] as const;
export type AuctionState = (typeof AUCTION_STATES)[number];

/** `replaced`: by a higher bid of the same agent. `passed_over`: not eligible. `returned`: no winner. */
export const BID_OUTCOMES = ['open', 'replaced', 'won', 'lost', 'passed_over', 'returned'] as const;
export type BidOutcome = (typeof BID_OUTCOMES)[number];

/** The amount is held until the auction ends. */
export const BidView = z.strictObject({
  bid_id: z.uuid(),
  auction_id: z.uuid(),
  agent_id: AgentId,
  amount: AiDollars,
  placed_at: Time,
  outcome: z.enum(BID_OUTCOMES),
});
export type BidView = z.infer<typeof BidView>;

/** The winner pays the second highest bid, but at least the reserve. */
export const AuctionView = z.strictObject({
  auction_id: z.uuid(),
  gpu: GpuLane,
  starts_at: Time,
  ends_at: Time,
  closes_at: Time.describe('End of the bidding'),
  reserve: AiDollars.describe('Smallest bid that is allowed'),
  note: z.string(),
  state: z.enum(AUCTION_STATES),
  bidders: z.int().min(0),
  own_bid: BidView.nullable().describe('Bid of the calling agent'),
  winner: AgentId.nullable(),
  price: AiDollars.nullable().describe('Amount that the winner paid'),
  purchase_id: z.uuid().nullable(),
  created_by: z.strictObject({ role: z.string(), id: z.string() }),
  created_at: Time,
  ended_at: Time.nullable(),
  end_reason: z.string().nullable(),
});
export type AuctionView = z.infer<typeof AuctionView>;

const read = { tag: 'economy', permission: 'trade:read' } as const;
const run = { tag: 'economy', permission: 'auction:run' } as const;

export const openAuction = defineRoute('openAuction POST /auctions', {
  ...run,
  summary: 'Offer an exclusive GPU window to the highest bidder; the window is reserved at once',
  body: z.strictObject({
    lane: Lane,
    starts_at: Time,
    ends_at: Time,
    closes_at: Time.describe(`At least ${AUCTION_LEAD_SECONDS} s before the window begins`),
    reserve: Amount,
    note: plainText(NOTE_MAX, 0).default(''),
  }),
  status: 201,
  answer: json(AuctionView),
  reasons: ['not_for_sale', 'window_taken', 'window_out_of_range'],
});

export const listAuctions = defineRoute('listAuctions GET /auctions', {
  ...read,
  summary: 'Auctions of GPU windows, newest first',
  query: z.strictObject({ state: z.enum(AUCTION_STATES).optional(), ...paging() }),
  answer: json(z.strictObject({ auctions: z.array(AuctionView), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const getAuction = defineRoute('getAuction GET /auctions/{auction_id}', {
  ...read,
  summary: 'One auction; shows its bids once it has ended',
  answer: json(
    AuctionView.extend({
      bids: z.array(BidView).describe('Bids, highest first; none while the auction is open'),
    }),
  ),
  reasons: ['no_such_auction'],
});

export const placeBid = defineRoute('placeBid POST /auctions/{auction_id}/bids', {
  tag: 'economy',
  summary:
    "Bid in an auction; the money is on hold until the auction ends. A higher bid replaces the agent's earlier one",
  permission: 'auction:bid',
  judged: true,
  body: z.strictObject({ amount: Amount }),
  status: 201,
  answer: json(BidView),
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

export const cancelAuction = defineRoute('cancelAuction POST /auctions/{auction_id}/cancel', {
  ...run,
  summary: 'Cancel an open auction: every bid is returned and the window is free again',
  body: z.strictObject({ reason: plainText(NOTE_MAX) }),
  answer: json(AuctionView),
  reasons: ['no_such_auction', 'auction_closed', 'village_frozen'],
});
