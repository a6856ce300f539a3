import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

export interface AccountRow {
  readonly accountId: string;
  readonly name: string;
  readonly role: 'member' | 'admin';
  readonly createdAt: Date;
}

const FIRST_ACCOUNT_LOCK = 4_832_002;
const COLUMNS = ['account_id as accountId', 'name', 'role', 'created_at as createdAt'] as const;

/** Whether nobody has an account yet. Holds other bootstraps back until the transaction ends. */
export async function isFirstAccount(tx: Tx): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`.execute(tx);
  return (await tx.selectFrom('account').select('account_id').limit(1).executeTakeFirst()) === undefined;
}

export async function insertAccount(db: Db, account: { readonly accountId: string; readonly name: string; readonly role: 'member' | 'admin'; readonly passwordHash: string }): Promise<AccountRow> {
  return db
    .insertInto('account')
    .values({ account_id: account.accountId, name: account.name, role: account.role, password_hash: account.passwordHash })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** An account with its password hash, by name whatever its case. */
export async function findAccountByName(db: Db, name: string): Promise<(AccountRow & { readonly passwordHash: string }) | null> {
  const row = await db.selectFrom('account').select([...COLUMNS, 'password_hash as passwordHash']).where(sql`lower(name)`, '=', name.toLowerCase()).executeTakeFirst();
  return row ?? null;
}

/** Opens a session that ends at `expiresAt`; only the hash of its id is kept. */
export async function insertSession(db: Db, session: { readonly idHash: Uint8Array; readonly accountId: string; readonly expiresAt: Date }): Promise<void> {
  await db.insertInto('account_session').values({ id_hash: Buffer.from(session.idHash), account_id: session.accountId, expires_at: session.expiresAt }).execute();
}

/** Whose session this is; null where it is unknown, over, or idle for longer than `idleMs`. Notes once a minute that it is in use. */
export async function findSession(db: Db, idHash: Uint8Array, idleMs: number): Promise<AccountRow | null> {
  const row = await db
    .selectFrom('account_session')
    .innerJoin('account', 'account.account_id', 'account_session.account_id')
    .select([
      'account.account_id as accountId',
      'account.name',
      'account.role',
      'account.created_at as createdAt',
      sql<boolean>`account_session.seen_at < now() - interval '1 minute'`.as('stale'),
    ])
    .where('id_hash', '=', Buffer.from(idHash))
    .where('expires_at', '>', sql<Date>`now()`)
    .where('seen_at', '>', sql<Date>`now() - ${idleMs} * interval '1 millisecond'`)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { stale, ...account } = row;
  if (stale) await db.updateTable('account_session').set({ seen_at: sql`now()` }).where('id_hash', '=', Buffer.from(idHash)).execute();
  return account;
}

export async function deleteSession(db: Db, idHash: Uint8Array): Promise<void> {
  await db.deleteFrom('account_session').where('id_hash', '=', Buffer.from(idHash)).execute();
}

export async function forgetEndedSessions(db: Db): Promise<void> {
  await db.deleteFrom('account_session').where('expires_at', '<', sql<Date>`now()`).execute();
}
