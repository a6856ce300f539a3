import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** What a member has drawn of a day of the village (`2026-11-22`), in micro-aiDollars. */
export async function readAllowance(
  db: Db,
  { memberId, day }: { readonly memberId: string; readonly day: string },
): Promise<bigint> {
  const { rows } = await sql<{
    used: string;
  }>`select used::text from ledger.allowance where member_id = ${memberId} and day = ${day}::date`.execute(db);
  return BigInt(rows[0]?.used ?? '0');
}
