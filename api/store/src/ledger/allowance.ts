import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** A member's wish to give or take money on a day. */
export interface AllowanceDraw {
  readonly memberId: string;
  /** The village's day, `2026-11-22`. */
  readonly day: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
  readonly limit: bigint;
}

/** What a member has drawn of a day, in micro-aiDollars. */
export async function readAllowance(db: Db, { memberId, day }: Pick<AllowanceDraw, 'memberId' | 'day'>): Promise<bigint> {
  const { rows } = await sql<{ used: string }>`select used::text from ledger.allowance where member_id = ${memberId} and day = ${day}::date`.execute(db);
  return BigInt(rows[0]?.used ?? '0');
}

/**
 * Draws on the allowance of a member's day. The row is locked until the transaction ends, so two that come at once cannot exceed it together.
 * Returns null where it is drawn, otherwise what is left of it.
 */
export async function drawAllowance(tx: Tx, { memberId, day, amount, limit }: AllowanceDraw): Promise<{ readonly left: bigint } | null> {
  const { rows } = await sql<{ used: string }>`
    insert into ledger.allowance as a (member_id, day, used) select ${memberId}, ${day}::date, ${String(amount)}::bigint where ${String(amount)}::bigint <= ${String(limit)}::bigint
    on conflict (member_id, day) do update set used = a.used + excluded.used where a.used + excluded.used <= ${String(limit)}::bigint
    returning used::text`.execute(tx);
  if (rows.length > 0) return null;
  const left = limit - (await readAllowance(tx, { memberId, day }));
  return { left: left > 0n ? left : 0n };
}
