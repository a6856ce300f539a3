import type { BidOutcome } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';

export interface BidRow {
  readonly bidId: string;
  readonly auctionId: string;
  readonly agentId: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
  readonly holdId: string;
  readonly place: number;
  readonly placedAt: Date;
  readonly outcome: BidOutcome;
}

type Raw = Omit<BidRow, 'amount'> & { readonly amount: string };

function bidsWhere(condition: RawBuilder<unknown>): RawBuilder<Raw> {
  return sql<Raw>`
    select b.bid_id as "bidId", b.auction_id as "auctionId", b.agent_id as "agentId", b.amount::text, b.hold_id as "holdId", b.place, b.placed_at as "placedAt", b.outcome
    from bid b where ${condition}`;
}

const bidOf = (raw: Raw): BidRow => ({ ...raw, amount: BigInt(raw.amount) });

/** Writes a bid. The caller has already held its money. */
export async function insertBid(
  tx: Tx,
  { auctionId, agentId, amount, holdId }: Pick<BidRow, 'auctionId' | 'agentId' | 'amount' | 'holdId'>,
): Promise<BidRow> {
  const { rows } = await sql<{ bidId: string }>`
    insert into bid (auction_id, agent_id, amount, hold_id) values (${auctionId}, ${agentId}, ${String(amount)}, ${holdId}) returning bid_id as "bidId"
  `.execute(tx);
  const { rows: bids } = await bidsWhere(sql`b.bid_id = ${rows[0]?.bidId ?? null}`).execute(tx);
  return bidOf(firstRow(bids, 'the bid was not written'));
}

export async function findBidOfKey(db: Db, key: string): Promise<BidRow | null> {
  const held = sql`b.hold_id = (select h.hold_id from ledger.hold h where h.idempotency_key = ${key})`;
  const { rows } = await bidsWhere(held).execute(db);
  return rows[0] === undefined ? null : bidOf(rows[0]);
}

export async function readOwnBids(
  db: Db,
  auctionIds: readonly string[],
  agentId: string,
): Promise<ReadonlyMap<string, BidRow>> {
  const { rows } = await sql<Raw>`
    ${bidsWhere(sql`b.auction_id = any (${auctionIds as string[]}::uuid[]) and b.agent_id = ${agentId} and b.outcome <> 'replaced'`)}
  `.execute(db);
  return new Map(rows.map((raw) => [raw.auctionId, bidOf(raw)]));
}

/** Highest first, and the earlier first among equal bids. */
export async function readBids(db: Db, auctionId: string): Promise<readonly BidRow[]> {
  const { rows } =
    await sql<Raw>`${bidsWhere(sql`b.auction_id = ${auctionId}`)} order by b.amount desc, b.place`.execute(db);
  return rows.map(bidOf);
}

/** An open bid, with the facts that decide whether it is eligible. */
export interface StandingBid extends BidRow {
  readonly payer: number;
  readonly payee: number;
  /** True if its money is still held and its agent's account is open. */
  readonly good: boolean;
}

/** The caller has locked the auction with the purpose `end` or `end_if_free`. */
export async function readStandingBids(db: Db, auctionId: string): Promise<readonly StandingBid[]> {
  const { rows } = await sql<Raw & Pick<StandingBid, 'payer' | 'payee' | 'good'>>`
    select b.*, h.payer, h.payee, coalesce(o.expires_at > clock_timestamp(), false) and a.closed_at is null as good
    from (${bidsWhere(sql`b.auction_id = ${auctionId} and b.outcome = 'open'`)}) b
    join ledger.hold h on h.hold_id = b."holdId" left join ledger.open_hold o on o.hold_id = b."holdId" join ledger.account a on a.account_id = h.payer
    order by b.place`.execute(db);
  return rows.map((raw) => ({ ...raw, amount: BigInt(raw.amount) }));
}

export async function writeBidOutcome(tx: Tx, bidId: string, outcome: Exclude<BidOutcome, 'open'>): Promise<void> {
  await sql`update bid set outcome = ${outcome} where bid_id = ${bidId}`.execute(tx);
}
