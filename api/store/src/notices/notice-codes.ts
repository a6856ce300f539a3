import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** Maximum number of codes that the village sends one person in a day, to any addresses. */
const CODES_A_DAY = 5;
/** Seconds between two codes. */
const CODE_PAUSE_S = 60;

interface NewCode {
  readonly accountId: string;
  readonly address: string;
  readonly codeHash: Uint8Array;
  readonly lifeS: number;
}

/** Stores the hash of a code for an address, which replaces the earlier one; false if the person asked too often. */
export async function keepNoticeCode(tx: Tx, { accountId, address, codeHash, lifeS }: NewCode): Promise<boolean> {
  const isNextDay = sql`notice_code.counted_from < now() - interval '1 day'`;
  const { numAffectedRows = 0n } = await sql`
    insert into notice_code (account_id, address, code_hash, expires_at, sent_at, sent, counted_from)
    values (${accountId}, ${address}, ${Buffer.from(codeHash)}, now() + make_interval(secs => ${lifeS}), now(), 1, now())
    on conflict (account_id) do update set
      address = excluded.address, code_hash = excluded.code_hash, expires_at = excluded.expires_at, sent_at = now(),
      sent = case when ${isNextDay} then 1 else notice_code.sent + 1 end,
      counted_from = case when ${isNextDay} then now() else notice_code.counted_from end
    where notice_code.sent_at <= now() - ${CODE_PAUSE_S} * interval '1 second'
      and (${isNextDay} or notice_code.sent < ${CODES_A_DAY})`.execute(tx);
  return numAffectedRows > 0n;
}

/** Uses up the code of a person and returns its address; null if it is another code, used or expired. */
export async function takeNoticeCode(tx: Tx, accountId: string, codeHash: Uint8Array): Promise<string | null> {
  const row = await tx
    .updateTable('notice_code')
    .set({ code_hash: null })
    .where('account_id', '=', accountId)
    .where('code_hash', '=', Buffer.from(codeHash))
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('address')
    .executeTakeFirst();
  return row?.address ?? null;
}

/** The address that waits for its code; null if there is none. */
export async function readAwaitedAddress(db: Db, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom('notice_code')
    .select('address')
    .where('account_id', '=', accountId)
    .where('code_hash', 'is not', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row?.address ?? null;
}
