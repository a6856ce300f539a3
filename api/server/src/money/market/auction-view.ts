import { formatAiDollars, type AuctionView, type BidView } from '@hamlet/contract';
import { readOwnBids, type AuctionRow, type BidRow, type Db } from '@hamlet/store';
import type { Actor } from '../../http/actor.ts';
import { gpuView } from './purchase-view.ts';

export function bidView({ bidId, auctionId, agentId, amount, placedAt, outcome }: BidRow): BidView {
  return {
    bid_id: bidId,
    auction_id: auctionId,
    agent_id: agentId,
    amount: formatAiDollars(amount),
    placed_at: placedAt.toISOString(),
    outcome,
  };
}

export function auctionView(row: AuctionRow, ownBid: BidRow | undefined): AuctionView {
  return {
    auction_id: row.auctionId,
    gpu: gpuView(row.devices),
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
    closes_at: row.closesAt.toISOString(),
    reserve: formatAiDollars(row.reserve),
    note: row.note,
    state: row.state,
    bidders: row.bidders,
    own_bid: ownBid === undefined ? null : bidView(ownBid),
    winner: row.winner,
    price: row.price === null ? null : formatAiDollars(row.price),
    purchase_id: row.purchaseId,
    created_by: { role: row.byRole, id: row.byId },
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    end_reason: row.endReason,
  };
}

export async function auctionViews(db: Db, rows: readonly AuctionRow[], actor: Actor): Promise<readonly AuctionView[]> {
  const own =
    actor.role === 'agent'
      ? await readOwnBids(
          db,
          rows.map(({ auctionId }) => auctionId),
          actor.agentId,
        )
      : new Map<string, BidRow>();
  return rows.map((row) => auctionView(row, own.get(row.auctionId)));
}
