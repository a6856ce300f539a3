import { formatAiDollars, type BidView } from '@hamlet/contract';
import {
  attempt,
  findAgentAccount,
  findBidOfKey,
  holdMoney,
  insertBid,
  lockAccounts,
  lockAuction,
  readFunds,
  readOwnBids,
  resolveHold,
  villageAccount,
  writeBidOutcome,
} from '@hamlet/store';
import type { AgentAccount, AuctionRow, BidRow, LedgerRefusal, Tx } from '@hamlet/store';
import type { AgentActor } from '../../http/actor.ts';
import type { Caller } from '../../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { recordAct } from '../../audit/record-act.ts';
import { refusalOfHold } from '../ledger/refusal-of-hold.ts';
import { bidView } from './auction-view.ts';
import { circumstanceOf } from './trade-ports.ts';

/** A hold expires after this time, which frees the money of a bid even if no replica ends the auction. */
const HOLD_OUTLIVES_MS = 3_600_000;

interface BidAsked extends Caller {
  readonly actor: AgentActor;
  readonly idempotencyKey: string;
  readonly auctionId: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
}

type Held = { readonly ok: true; readonly bid: BidRow } | { readonly ok: false; readonly reason: LedgerRefusal };

const bidKey = ({ actor, idempotencyKey }: BidAsked): string => `bid ${actor.id} ${idempotencyKey}`;

function whyNot({ amount, actor }: BidAsked, auction: AuctionRow, own: BidRow | undefined): Refused | null {
  if (auction.state !== 'open' || auction.closed)
    return refused(
      'auction_closed',
      auction.state === 'open'
        ? 'The bidding is over; the auction is being settled'
        : `The auction is ${auction.state}`,
    );
  if (amount < auction.reserve)
    return refused(
      'bid_too_low',
      `The bid is too low: bid at least the reserve of ${formatAiDollars(auction.reserve)}`,
    );
  if (own !== undefined && amount <= own.amount)
    return refused(
      'bid_too_low',
      `${actor.agentId} has already bid ${formatAiDollars(own.amount)}: bid more, or keep that bid`,
    );
  return null;
}

async function replace(
  tx: Tx,
  asked: BidAsked,
  {
    auction,
    account,
    own,
  }: { readonly auction: AuctionRow; readonly account: AgentAccount; readonly own: BidRow | undefined },
): Promise<Held> {
  const { actor, amount } = asked;
  const by = { role: actor.role, id: actor.id };
  const about = circumstanceOf(asked);
  return attempt(tx, async (): Promise<Held> => {
    if (own !== undefined) {
      const freed = await resolveHold(tx, {
        holdId: own.holdId,
        outcome: 'voided',
        key: `replaced ${own.bidId}`,
        actor: by,
        about,
      });
      if (!freed.ok) return freed;
      await writeBidOutcome(tx, own.bidId, 'replaced');
    }
    const held = await holdMoney(tx, {
      payer: account.accountId,
      payee: await villageAccount(tx, 'compute'),
      amount,
      key: bidKey(asked),
      reason: 'purchase_compute',
      source: `auction ${auction.auctionId}`,
      note: `bid for GPU ${auction.devices.lane} from ${auction.startsAt.toISOString()} to ${auction.endsAt.toISOString()}`,
      actor: by,
      about,
      expiresAt: new Date(auction.endsAt.getTime() + HOLD_OUTLIVES_MS),
    });
    if (!held.ok) return held;
    return {
      ok: true,
      bid: await insertBid(tx, { auctionId: auction.auctionId, agentId: actor.agentId, amount, holdId: held.holdId }),
    };
  });
}

/** The bid of an earlier request with the same key, even after the stored answer has expired. */
async function bidBefore(tx: Tx, asked: BidAsked): Promise<Outcome<BidView> | null> {
  const bid = await findBidOfKey(tx, bidKey(asked));
  if (bid === null) return null;
  return bid.auctionId === asked.auctionId && bid.amount === asked.amount
    ? accepted(bidView(bid))
    : refused('idempotency_key_reused');
}

/** The new bid replaces the agent's lower bid. The auction cannot end before the transaction does. */
export async function placeBid(tx: Tx, asked: BidAsked): Promise<Outcome<BidView>> {
  const { actor, auctionId, amount } = asked;
  const before = await bidBefore(tx, asked);
  if (before !== null) return before;
  const auction = await lockAuction(tx, auctionId, 'bid');
  if (auction === null) return refused('no_such_auction', `There is no auction ${auctionId}`);
  const account = await findAgentAccount(tx, actor.agentId);
  if (account === null) return refused('no_such_agent', `${actor.agentId} has no account yet`);
  // Two concurrent first bids of one agent run one after the other.
  await lockAccounts(tx, [account.accountId]);
  const own = (await readOwnBids(tx, [auctionId], actor.agentId)).get(auctionId);
  const refusal = whyNot(asked, auction, own);
  if (refusal !== null) return refusal;
  const held = await replace(tx, asked, { auction, account, own });
  if (!held.ok)
    return refusalOfHold(held.reason, {
      agentId: actor.agentId,
      asked: amount,
      funds: await readFunds(tx, account.accountId),
    });
  const detail = {
    auction_id: auctionId,
    bid_id: held.bid.bidId,
    amount: formatAiDollars(amount),
    replaces: own?.bidId ?? null,
  };
  await recordAct(tx, asked, { action: 'auction.bid', object: actor.agentId, detail });
  return accepted(bidView(held.bid));
}
