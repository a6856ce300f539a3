import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

/** Notes that somebody made an account, or reset its password: they were shown a code that opens it. */
export async function noteHand(
  tx: Tx,
  accountId: string,
  { act, by }: { readonly act: 'made' | 'reset'; readonly by: { readonly role: string; readonly id: string } },
): Promise<void> {
  await tx.insertInto('account_hand').values({ account_id: accountId, act, by_role: by.role, by_id: by.id }).execute();
}

/** An account as a second pair of eyes. */
export interface SecondEyes {
  /** When it came into the hands that it is in: made, or last reset. */
  readonly ownSince: Date;
  /** Who made or reset it, and who made or reset them, and so on: ids of actors. */
  readonly hands: readonly string[];
}

/** What is known of the hands that an account has been in; null where there is no such account. */
export async function readSecondEyes(db: Db, accountId: string): Promise<SecondEyes | null> {
  const { rows } = await sql<{ ownSince: Date; hands: readonly string[] }>`
    with recursive above(id) as (
      select by_id from account_hand where account_id = ${accountId}
      union
      select h.by_id from above join account_hand h on above.id = 'account ' || h.account_id
    )
    select greatest(a.created_at, (select max(h.at) from account_hand h where h.account_id = a.account_id)) as "ownSince", array(select id from above) as hands
    from account a where a.account_id = ${accountId}`.execute(db);
  return rows[0] ?? null;
}
