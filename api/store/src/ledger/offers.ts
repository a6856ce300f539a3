import type { OfferState } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** An offer for the result of a run. Amounts are in micro-aiDollars. */
export interface OfferRow {
  readonly runId: string;
  readonly agentId: string;
  readonly amount: bigint;
  readonly holdId: string;
  /** Day of the village (`2026-11-22`) whose allowance the offer has used. */
  readonly day: string;
  readonly offeredByRole: string;
  readonly offeredById: string;
  readonly offeredAt: Date;
  readonly expiresAt: Date;
  readonly state: OfferState;
  readonly endedAt: Date | null;
  readonly reason: string | null;
}

interface OfferFilter {
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
  readonly state?: OfferState | undefined;
}

type Stored = Omit<OfferRow, 'amount'> & { readonly amount: string };

const COLUMNS = sql`run_id as "runId", agent_id as "agentId", amount::text as amount, hold_id as "holdId", day::text as day,
  offered_by_role as "offeredByRole", offered_by_id as "offeredById", offered_at as "offeredAt", expires_at as "expiresAt", state, ended_at as "endedAt", reason`;

const rowOf = (stored: Stored): OfferRow => ({ ...stored, amount: BigInt(stored.amount) });

type NewOffer = Pick<
  OfferRow,
  'runId' | 'agentId' | 'amount' | 'holdId' | 'day' | 'offeredByRole' | 'offeredById' | 'expiresAt'
>;

export async function insertOffer(tx: Tx, offer: NewOffer): Promise<OfferRow> {
  const { runId, agentId, amount, holdId, day, offeredByRole, offeredById, expiresAt } = offer;
  const { rows } = await sql<Stored>`
    insert into run_offer (run_id, agent_id, amount, hold_id, day, offered_by_role, offered_by_id, expires_at)
    values (${runId}, ${agentId}, ${String(amount)}, ${holdId}, ${day}::date, ${offeredByRole}, ${offeredById}, ${expiresAt})
    returning ${COLUMNS}`.execute(tx);
  const [stored] = rows;
  if (stored === undefined) throw new Error('the database returned no offer');
  return rowOf(stored);
}

/** Locks the offer for a run; null if there is none. Lock the run first. */
export async function lockOffer(tx: Tx, runId: string): Promise<OfferRow | null> {
  const { rows } = await sql<Stored>`select ${COLUMNS} from run_offer where run_id = ${runId} for update`.execute(tx);
  return rows[0] === undefined ? null : rowOf(rows[0]);
}

export async function findOffer(db: Db, runId: string): Promise<OfferRow | null> {
  const { rows } = await sql<Stored>`select ${COLUMNS} from run_offer where run_id = ${runId}`.execute(db);
  return rows[0] === undefined ? null : rowOf(rows[0]);
}

export async function endRunOffer(
  tx: Tx,
  runId: string,
  end: { readonly state: Exclude<OfferState, 'open'>; readonly reason: string | null },
): Promise<OfferRow> {
  const { rows } = await sql<Stored>`
    update run_offer set state = ${end.state}, reason = ${end.reason}, ended_at = clock_timestamp()
    where run_id = ${runId} returning ${COLUMNS}`.execute(tx);
  const [stored] = rows;
  if (stored === undefined) throw new Error(`the run ${runId} has no offer`);
  return rowOf(stored);
}

/** A page of offers, newest run first. `before` is the last run of the previous page. */
export async function readOffers(
  db: Db,
  { agentId = null, runId = null, state = null }: { [K in keyof OfferFilter]: OfferFilter[K] | null },
  page: { readonly before: string | null; readonly limit: number },
): Promise<readonly OfferRow[]> {
  const { rows } = await sql<Stored>`
    select ${COLUMNS} from run_offer
    where (${agentId}::text is null or agent_id = ${agentId}) and (${runId}::uuid is null or run_id = ${runId}::uuid)
      and (${state}::text is null or state = ${state}) and (${page.before}::uuid is null or run_id < ${page.before}::uuid)
    order by run_id desc limit ${page.limit + 1}`.execute(db);
  return rows.map(rowOf);
}

/** Runs with open offers that have expired, or whose run failed or was cancelled. */
export async function readEndedOffers(db: Db, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ runId: string }>`
    select run_id as "runId" from run_offer join run using (run_id)
    where run_offer.state = 'open' and (run_offer.expires_at <= now() or run.state in ('failed', 'cancelled'))
    order by run_offer.expires_at limit ${limit}`.execute(db);
  return rows.map(({ runId }) => runId);
}

interface AllowanceUse {
  readonly memberId: string;
  readonly day: string;
  readonly amount: bigint;
}

/** Uses part of a member's daily allowance. False if less than the amount is left of `limit`. */
export async function useAllowance(
  tx: Tx,
  { memberId, day, amount, limit }: AllowanceUse & { readonly limit: bigint },
): Promise<boolean> {
  const { rows } = await sql<{ used: string }>`
    insert into ledger.allowance as a (member_id, day, used) select ${memberId}, ${day}::date, ${String(amount)}::bigint where ${String(amount)}::bigint <= ${String(limit)}::bigint
    on conflict (member_id, day) do update set used = a.used + excluded.used where a.used + excluded.used <= ${String(limit)}::bigint
    returning used::text`.execute(tx);
  return rows.length > 0;
}

/** Returns allowance that an offer used without a payment. */
export async function returnAllowance(tx: Tx, { memberId, day, amount }: AllowanceUse): Promise<void> {
  const returned = sql`member_id = ${memberId} and day = ${day}::date`;
  await sql`delete from ledger.allowance where ${returned} and used <= ${String(amount)}::bigint`.execute(tx);
  await sql`update ledger.allowance set used = used - ${String(amount)}::bigint where ${returned}`.execute(tx);
}
