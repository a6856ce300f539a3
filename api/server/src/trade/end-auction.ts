import { formatAiDollars } from '@hamlet/contract';
import type { AuctionState } from '@hamlet/contract';
import { decideAuction } from '@hamlet/core';
import type { AuctionResult } from '@hamlet/core';
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
import { recordAct } from '../audit/record-act.ts';
import type { Acting } from '../audit/record-act.ts';
import { barsRuns } from '../runs/work-limits.ts';
import { concludePurchase } from './buy-compute.ts';
import { actOfVillage } from './trade-ports.ts';
import type { TradePorts } from './trade-ports.ts';

type Ports = Pick<TradePorts, 'standing'>;
type Given = 'lost' | 'passed_over' | 'returned';

/** Frees the money of a bid. Where it has expired meanwhile, it is free already. */
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

/** Accounts first and in the ledger's order, whichever bid is resolved first. */
async function lockMoney(tx: Tx, bids: readonly StandingBid[]): Promise<void> {
  await lockAccounts(tx, [...new Set(bids.flatMap(({ payer, payee }) => [payer, payee]))]);
}

/** Ends an open auction without a winner: every bid is returned, the window is free. */
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

/** Calls an auction off that is locked and open. */
export async function cancelAuction(
  tx: Tx,
  auction: AuctionRow,
  { reason, act }: { readonly reason: string; readonly act: Acting },
): Promise<void> {
  await endUnsold(tx, auction, { end: { state: 'cancelled', reason }, act });
}

/** The standing bids as the rules see them: what an admin holds against an agent keeps it from having the window. */
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
  /** Micro-aiDollars; what was bid beyond it is free again. */
  readonly price: bigint;
  readonly act: Acting;
}

/** Posts the winner's money, gives it the window and writes the purchase. */
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

/** Settles an auction that is locked, open and closed for bids: the winner pays and has the window, everybody else has its money back. */
async function settle(tx: Tx, auction: AuctionRow, ports: Ports): Promise<AuctionState> {
  const { auctionId, reserve } = auction;
  const act = actOfVillage();
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
  await concludePurchase(tx, act, { purchaseId, agentId: winner.agentId, standing: ports.standing });
  return 'sold';
}

/**
 * Ends an auction whose bidding is over, whole in the caller's transaction. One whose window has begun meanwhile lapses: nobody pays for time that
 * is gone. Returns what became of it; null where there was nothing to do, or somebody else is at it.
 */
export async function settleAuction(tx: Tx, auctionId: string, ports: Ports): Promise<AuctionState | null> {
  const auction = await lockAuction(tx, auctionId, 'end_if_free');
  if (auction === null || auction.state !== 'open' || !auction.closed) return null;
  if (!auction.begun) return settle(tx, auction, ports);
  await endUnsold(tx, auction, {
    end: { state: 'lapsed', reason: 'it was not settled before its window began' },
    act: actOfVillage(),
  });
  return 'lapsed';
}
