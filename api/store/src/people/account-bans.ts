import { type Selection, sql } from 'kysely';
import { type Db, isAhead, type Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';

const COLUMNS = [
  'account_id as accountId',
  'reason',
  'by_role as byRole',
  'by_id as byId',
  'since',
  'expires_at as expiresAt',
] as const;
export type AccountBanRow = Readonly<Selection<Tables, 'account_ban', (typeof COLUMNS)[number]>>;

export const BAN_HOLDS = sql<boolean>`account_ban.lifted_at is null and (account_ban.expires_at is null or account_ban.expires_at > now())`;
const EXPIRED_AT_ONCE = 500;

/** Bans a person, replacing an earlier ban. Returns false if the end is not in the future by the database's clock. */
export async function insertAccountBan(
  tx: Tx,
  ban: { readonly accountId: string; readonly reason: string; readonly expiresAt: Date | null },
  by: { readonly role: string; readonly id: string },
): Promise<boolean> {
  const { accountId, reason, expiresAt } = ban;
  if (expiresAt !== null && !(await isAhead(tx, expiresAt))) return false;
  await liftAccountBanRow(tx, { accountId, reason: 'replaced' }, by);
  await tx
    .insertInto('account_ban')
    .values({ account_id: accountId, reason, by_role: by.role, by_id: by.id, expires_at: expiresAt })
    .execute();
  return true;
}

export async function liftAccountBanRow(
  tx: Tx,
  lifted: { readonly accountId: string; readonly reason: string | null },
  by: { readonly role: string; readonly id: string },
): Promise<boolean> {
  const rows = await tx
    .updateTable('account_ban')
    .set({ lifted_at: sql<Date>`now()`, lifted_by_role: by.role, lifted_by_id: by.id, lift_reason: lifted.reason })
    .where('account_id', '=', lifted.accountId)
    .where('lifted_at', 'is', null)
    .returning('ban_id')
    .execute();
  return rows.length > 0;
}

/** Lifts at most 500 expired bans that no other transaction is lifting. Returns their accounts. */
export async function liftExpiredAccountBans(tx: Tx): Promise<readonly string[]> {
  const rows = await tx
    .updateTable('account_ban')
    .set({ lifted_at: sql<Date>`now()`, lifted_by_role: 'system', lifted_by_id: 'expiry' })
    .where('ban_id', 'in', (query) =>
      query
        .selectFrom('account_ban')
        .select('ban_id')
        .where('lifted_at', 'is', null)
        .where('expires_at', '<=', sql<Date>`now()`)
        .orderBy('ban_id')
        .limit(EXPIRED_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .returning('account_id as accountId')
    .execute();
  return rows.map(({ accountId }) => accountId);
}

export async function readAccountBan(db: Db, accountId: string): Promise<AccountBanRow | null> {
  const row = await db
    .selectFrom('account_ban')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where(BAN_HOLDS)
    .executeTakeFirst();
  return row ?? null;
}

/** Records the account that last wrote a Schedule through the API. */
export async function noteScheduleAuthor(tx: Tx, scheduleUid: string, accountId: string): Promise<void> {
  await tx
    .insertInto('schedule_author')
    .values({ schedule_uid: scheduleUid, account_id: accountId })
    .onConflict((conflict) => conflict.column('schedule_uid').doUpdateSet({ account_id: accountId }))
    .execute();
}

/** Makes the account that allowed a call the author of the Schedule that the call created. No effect for an API key. */
export async function noteScheduleApprover(
  tx: Tx,
  scheduleUid: string,
  { runId, callId }: { readonly runId: string; readonly callId: string },
): Promise<void> {
  const row = await tx
    .selectFrom('effect')
    .innerJoin('permission', 'permission.permission_id', 'effect.permission_id')
    .innerJoin('account', (join) =>
      join.on('permission.answered_by_id', '=', sql<string>`'account ' || account.account_id`),
    )
    .select('account.account_id as accountId')
    .where('effect.run_id', '=', runId)
    .where('effect.call_id', '=', callId)
    .executeTakeFirst();
  if (row !== undefined) await noteScheduleAuthor(tx, scheduleUid, row.accountId);
}

/** True if the account that last wrote a Schedule through the API is banned or disabled. */
export async function isScheduleAuthorBarred(db: Db, scheduleUid: string): Promise<boolean> {
  const row = await db
    .selectFrom('schedule_author')
    .innerJoin('account', 'account.account_id', 'schedule_author.account_id')
    .leftJoin('account_ban', (join) => join.onRef('account_ban.account_id', '=', 'account.account_id').on(BAN_HOLDS))
    .select(sql<boolean>`account_ban.ban_id is not null or account.disabled_at is not null`.as('barred'))
    .where('schedule_uid', '=', scheduleUid)
    .executeTakeFirst();
  return row?.barred === true;
}
