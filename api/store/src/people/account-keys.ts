import { type Selection, sql } from 'kysely';
import { byHash } from '../connection/result-rows.ts';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';
import { BAN_HOLDS } from './account-bans.ts';
import { ACCOUNT_COLUMNS, type AccountRow, announceAccount, FEDERATED } from './accounts.ts';

const COLUMNS = [
  'key_id as keyId',
  'name',
  'scopes',
  'created_at as createdAt',
  'used_at as usedAt',
  'expires_at as expiresAt',
] as const;
export type AccountKeyRow = Readonly<Selection<Tables, 'account_key', (typeof COLUMNS)[number]>>;

interface NewAccountKey {
  readonly keyHash: Uint8Array;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Days until it expires, by the database's clock. */
  readonly days: number;
}

/** Stores a key; null if the account has a key of that name. */
export async function insertAccountKey(tx: Tx, key: NewAccountKey): Promise<AccountKeyRow | null> {
  const row = await tx
    .insertInto('account_key')
    .values({
      key_hash: Buffer.from(key.keyHash),
      account_id: key.accountId,
      name: key.name,
      scopes: [...key.scopes],
      expires_at: sql<Date>`now() + ${key.days} * interval '1 day'`,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
  return row ?? null;
}

/** The keys of an account, newest first, with those that expired lately. */
export function listAccountKeys(db: Db, accountId: string): Promise<readonly AccountKeyRow[]> {
  return db
    .selectFrom('account_key')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('key_id')
    .execute();
}

/** Deletes one key of an account or all, and notifies every replica to check its connections. Returns the names. */
export async function deleteAccountKeys(
  tx: Tx,
  accountId: string,
  which: { readonly keyId: string } | 'all',
): Promise<readonly string[]> {
  const deleted = await tx
    .deleteFrom('account_key')
    .where('account_id', '=', accountId)
    .$if(which !== 'all', (query) => (which === 'all' ? query : query.where('key_id', '=', which.keyId)))
    .returning('name')
    .execute();
  if (deleted.length > 0) await announceAccount(tx, accountId);
  return deleted.map(({ name }) => name);
}

export interface FoundAccountKey extends AccountRow {
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly ban: { readonly reason: string; readonly expiresAt: Date | null } | null;
}

/**
 * The keys with these hashes and their accounts, in the order of the hashes; null for a key that is unknown, expired,
 * or of a disabled account. Records the use of each at most once a minute.
 */
export async function findAccountKeys(db: Db, hashes: readonly Buffer[]): Promise<readonly (FoundAccountKey | null)[]> {
  const rows = await db
    .selectFrom('account_key')
    .innerJoin('account', 'account.account_id', 'account_key.account_id')
    .leftJoin('account_ban', (join) => join.onRef('account_ban.account_id', '=', 'account.account_id').on(BAN_HOLDS))
    .select([
      ...ACCOUNT_COLUMNS,
      FEDERATED,
      'account_key.key_hash as hash',
      'account_key.key_id as keyId',
      'account_key.scopes',
      'account_ban.reason as banReason',
      'account_ban.expires_at as banExpiresAt',
      sql<boolean>`coalesce(account_key.used_at < now() - interval '1 minute', true)`.as('stale'),
    ])
    .where(sql<boolean>`account_key.key_hash = any(${hashes})`)
    .where(sql<boolean>`account_key.expires_at > now()`)
    .where('account.disabled_at', 'is', null)
    .execute();
  await noteUse(
    db,
    rows.flatMap(({ stale, hash }) => (stale ? [hash] : [])),
  );
  return byHash(hashes, rows).map((row) => {
    if (row === null) return null;
    const { stale: _stale, hash: _hash, banReason, banExpiresAt, ...key } = row;
    return { ...key, ban: banReason === null ? null : { reason: banReason, expiresAt: banExpiresAt } };
  });
}

/** Skips locked rows, so that two such updates cannot deadlock. */
async function noteUse(db: Db, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  await sql`
    update account_key set used_at = now()
    where key_hash in (select key_hash from account_key where key_hash = any(${hashes}) for update skip locked)`.execute(
    db,
  );
}

/** Deletes keys that expired more than `days` days ago; until then, lists show them as expired. */
export async function forgetExpiredAccountKeys(db: Db, days: number): Promise<void> {
  await db
    .deleteFrom('account_key')
    .where(sql<boolean>`expires_at < now() - ${days} * interval '1 day'`)
    .execute();
}
