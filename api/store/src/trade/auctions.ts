import type { AuctionState } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { cutPage, firstRow } from '../connection/result-rows.ts';
import type { LedgerActor } from '../ledger/transfer-request.ts';
import type { BoughtDevices } from './purchases.ts';

interface NewAuction {
  readonly windowId: string;
  /** Micro-aiDollars. */
  readonly reserve: bigint;
  readonly closesAt: Date;
  readonly note: string;
  readonly by: LedgerActor;
}

export interface AuctionRow extends Omit<NewAuction, 'by'> {
  readonly auctionId: string;
  readonly devices: BoughtDevices;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly state: AuctionState;
  readonly bidders: number;
  readonly winner: string | null;
  readonly price: bigint | null;
  readonly purchaseId: string | null;
  readonly byRole: string;
  readonly byId: string;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: string | null;
  /** True if the bidding had ended at the time of the read, by the database's clock. */
  readonly closed: boolean;
  /** True if the window had begun at the time of the read. */
  readonly begun: boolean;
}

type Raw = Omit<AuctionRow, 'reserve' | 'price'> & { readonly reserve: string; readonly price: string | null };

function auctionsWhere(condition: RawBuilder<unknown>, rest: RawBuilder<unknown>): RawBuilder<Raw> {
  return sql<Raw>`
    select a.auction_id as "auctionId", a.window_id as "windowId", jsonb_build_object('lane', w.lane, 'resourceName', w.resource_name, 'count', w.count) as devices,
      lower(w.during) as "startsAt", upper(w.during) as "endsAt", a.reserve::text, a.closes_at as "closesAt", a.note, a.state,
      (select count(*) from bid b where b.auction_id = a.auction_id and b.outcome <> 'replaced') as bidders, a.winner, a.price::text,
      (select p.purchase_id from purchase p where p.auction_id = a.auction_id) as "purchaseId",
      a.created_by_role as "byRole", a.created_by_id as "byId", a.created_at as "createdAt", a.ended_at as "endedAt", a.end_reason as "endReason",
      a.closes_at <= clock_timestamp() as closed, lower(w.during) <= clock_timestamp() as begun
    from auction a join gpu_window w using (window_id) where ${condition} ${rest}`;
}

function auctionOf(raw: Raw): AuctionRow {
  return { ...raw, reserve: BigInt(raw.reserve), price: raw.price === null ? null : BigInt(raw.price) };
}

export async function insertAuction(tx: Tx, { windowId, reserve, closesAt, note, by }: NewAuction): Promise<string> {
  const { rows } = await sql<{ auctionId: string }>`
    insert into auction (window_id, reserve, closes_at, note, created_by_role, created_by_id)
    values (${windowId}, ${String(reserve)}, ${closesAt}, ${note}, ${by.role}, ${by.id}) returning auction_id as "auctionId"
  `.execute(tx);
  return firstRow(rows, 'the auction was not written').auctionId;
}

export async function findAuction(db: Db, auctionId: string): Promise<AuctionRow | null> {
  const { rows } = await auctionsWhere(sql`a.auction_id = ${auctionId}`, sql``).execute(db);
  return rows[0] === undefined ? null : auctionOf(rows[0]);
}

export async function readAuctions(
  db: Db,
  state: AuctionState | undefined,
  page: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly auctions: readonly AuctionRow[]; readonly next: string | null }> {
  const condition = sql`(${state ?? null}::text is null or a.state = ${state ?? null}) and (${page.before}::uuid is null or a.auction_id < ${page.before}::uuid)`;
  const { rows } = await auctionsWhere(condition, sql`order by a.auction_id desc limit ${page.limit + 1}`).execute(db);
  const { rows: shown, next } = cutPage(rows.map(auctionOf), page.limit, ({ auctionId }) => auctionId);
  return { auctions: shown, next };
}

/**
 * Locks an auction. `bid` allows concurrent bids, `end` waits for them, `end_if_free` returns null while another transaction has the lock.
 */
export async function lockAuction(
  tx: Tx,
  auctionId: string,
  purpose: 'bid' | 'end' | 'end_if_free',
): Promise<AuctionRow | null> {
  const strength = { bid: sql`for share`, end: sql`for update`, end_if_free: sql`for update skip locked` }[purpose];
  const { rows } = await sql`select from auction where auction_id = ${auctionId} ${strength}`.execute(tx);
  return rows.length === 0 ? null : findAuction(tx, auctionId);
}

export type AuctionEnd =
  | { readonly state: 'sold'; readonly winner: string; readonly price: bigint }
  | { readonly state: 'unsold' }
  | { readonly state: 'cancelled' | 'lapsed'; readonly reason: string };

export async function writeAuctionEnd(tx: Tx, auctionId: string, end: AuctionEnd): Promise<void> {
  const [winner, price] = end.state === 'sold' ? [end.winner, String(end.price)] : [null, null];
  await sql`
    update auction set state = ${end.state}, ended_at = clock_timestamp(), end_reason = ${'reason' in end ? end.reason : null}, winner = ${winner}, price = ${price}
    where auction_id = ${auctionId}`.execute(tx);
}

/** Auctions to settle, in the order of their ends. */
export async function dueAuctions(db: Db, atMost: number): Promise<readonly string[]> {
  const { rows } = await sql<{ auctionId: string }>`
    select auction_id as "auctionId" from auction where state = 'open' and closes_at <= clock_timestamp() order by closes_at limit ${atMost}
  `.execute(db);
  return rows.map(({ auctionId }) => auctionId);
}
