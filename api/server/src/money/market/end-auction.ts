import { formatAiDollars, type AuctionState } from '@hamlet/contract';
import { decideAuction, laneOf, type AuctionResult } from '@hamlet/core';
import {
  endOffer,
  insertPurchase,
  lockAccounts,
  lockAuction,
  readBars,
  readStandingBids,
  resolveHold,
  writeAuctionEnd,
  writeBidOutcome,
} from '@hamlet/store';
import type { AuctionEnd, AuctionRow, StandingBid, Tx } from '@hamlet/store';
import { actingAs, recordAct, type Acting } from '../../audit/record-act.ts';
import { barsRuns } from '../../runs/work-limits.ts';
import { concludePurchase } from './buy-compute.ts';
import type { BalanceTiers } from '../../standing/balance-tier-sync.ts';
import { whyUnbacked, type ForSale } from './gpu-supply.ts';

export interface SettlePorts extends ForSale {
  readonly tiers: BalanceTiers;
}
type Given = 'lost' | 'passed_over' | 'returned';

/** Frees the money of a bid. The money of an expired hold is free already. */
async function giveBack(
  tx: Tx,
  { bidId, holdId }: StandingBid,
  { outcome, act }: { readonly outcome: Given; readonly act: Acting },
): Promise<void> {
  const freed = await resolveHold(tx, { holdId, outcome: 'voided', key: `${outcome} ${bidId}`, actor: act.actor });
  if (!freed.ok && freed.reason !== 'hold_resolved')
    throw new Error(`the hold of bid ${bidId} was not voided: ${freed.reason}`);
  await writeBidOutcome(tx, bidId, outcome);
}

/** Locks the accounts of all bids, in the ledger's order, before any money moves. */
async function lockMoney(tx: Tx, bids: readonly StandingBid[]): Promise<void> {
  await lockAccounts(tx, [...new Set(bids.flatMap(({ payer, payee }) => [payer, payee]))]);
}

async function endUnsold(
  tx: Tx,
  { auctionId, windowId }: AuctionRow,
  { end, act }: { readonly end: Exclude<AuctionEnd, { state: 'sold' }>; readonly act: Acting },
): Promise<void> {
  const bids = await readStandingBids(tx, auctionId);
  await lockMoney(tx, bids);
  for (const bid of bids) await giveBack(tx, bid, { outcome: 'returned', act });
  await endOffer(tx, windowId, null);
  await writeAuctionEnd(tx, auctionId, end);
  const detail = { state: end.state, reason: 'reason' in end ? end.reason : null, returned: bids.length };
  await recordAct(tx, act, {
    action: end.state === 'cancelled' ? 'auction.cancel' : 'auction.settle',
    object: auctionId,
    detail,
  });
}

export async function cancelAuction(
  tx: Tx,
  auction: AuctionRow,
  { reason, act }: { readonly reason: string; readonly act: Acting },
): Promise<void> {
  await endUnsold(tx, auction, { end: { state: 'cancelled', reason }, act });
}

async function judged(tx: Tx, auction: AuctionRow, bids: readonly StandingBid[]): Promise<AuctionResult> {
  const bars = await readBars(
    tx,
    bids.map(({ agentId }) => agentId),
  );
  return decideAuction(
    auction.reserve,
    bids.map(({ bidId, agentId, amount, place, good }) => ({
      bidId,
      agentId,
      amount,
      place,
      eligible: good && !barsRuns(bars.get(agentId)),
    })),
  );
}

interface Sale {
  readonly bid: StandingBid;
  /** Micro-aiDollars; the rest of the bid is free again. */
  readonly price: bigint;
  readonly act: Acting;
}

async function sell(
  tx: Tx,
  { auctionId, windowId, startsAt, endsAt }: AuctionRow,
  { bid, price, act }: Sale,
): Promise<string> {
  const { bidId, holdId, agentId } = bid;
  const posted = await resolveHold(tx, {
    holdId,
    outcome: 'posted',
    amount: price,
    key: `won ${bidId}`,
    actor: act.actor,
    about: { traceparent: act.traceparent },
  });
  if (!posted.ok || posted.transferId === null)
    throw new Error(`the hold of bid ${bidId} was not posted: ${posted.ok ? 'no transfer' : posted.reason}`);
  await endOffer(tx, windowId, agentId);
  await writeBidOutcome(tx, bidId, 'won');
  await writeAuctionEnd(tx, auctionId, { state: 'sold', winner: agentId, price });
  const by = { role: 'agent', id: agentId };
  return insertPurchase(tx, {
    agentId,
    item: { kind: 'gpu', windowId },
    startsAt,
    endsAt,
    price,
    holdId,
    transferId: posted.transferId,
    auctionId,
    by,
  });
}

async function settle(tx: Tx, auction: AuctionRow, ports: SettlePorts): Promise<AuctionState> {
  const { auctionId, reserve } = auction;
  const act = actingAs('system', 'auctioneer');
  const bids = await readStandingBids(tx, auctionId);
  await lockMoney(tx, bids);
  const { winner, others } = await judged(tx, auction, bids);
  const bid = bids.find(({ bidId }) => bidId === winner?.bidId);
  if (winner === null || bid === undefined) {
    await endUnsold(tx, auction, { end: { state: 'unsold' }, act });
    return 'unsold';
  }
  const outcomes = new Map(others.map(({ bidId, outcome }) => [bidId, outcome]));
  for (const each of bids) {
    const outcome = outcomes.get(each.bidId);
    if (outcome !== undefined) await giveBack(tx, each, { outcome, act });
  }
  const purchaseId = await sell(tx, auction, { bid, price: winner.price, act });
  const detail = {
    state: 'sold',
    winner: winner.agentId,
    price: formatAiDollars(winner.price),
    reserve: formatAiDollars(reserve),
    bidders: bids.length,
    purchase_id: purchaseId,
  };
  await recordAct(tx, act, { action: 'auction.settle', object: auctionId, detail });
  await concludePurchase(tx, act, { purchaseId, agentId: winner.agentId, tiers: ports.tiers });
  return 'sold';
}

/**
 * Settles an auction whose bidding has ended. While its GPU is lost or a model server has it, the auction
 * waits, and lapses once its GPU window has begun. Returns the final state; null if the auction is not open, its bidding
 * continues, it waits, or another transaction has locked it.
 */
export async function settleAuction(tx: Tx, auctionId: string, ports: SettlePorts): Promise<AuctionState | null> {
  const auction = await lockAuction(tx, auctionId, 'end_if_free');
  if (auction === null || auction.state !== 'open' || !auction.closed) return null;
  if (!auction.begun) {
    const lane = laneOf(ports.prices, auction.devices.lane);
    const isBacked = lane === null || (await whyUnbacked(lane, ports)) === null;
    return isBacked ? settle(tx, auction, ports) : null;
  }
  await endUnsold(tx, auction, {
    end: { state: 'lapsed', reason: 'the auction was not settled before its window began' },
    act: actingAs('system', 'auctioneer'),
  });
  return 'lapsed';
}
