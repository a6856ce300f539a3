import type { AccountRole } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Expression } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { BAN_HOLDS } from './account-bans.ts';
import type { AccountBanRow } from './account-bans.ts';

export interface AccountRow {
  readonly accountId: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  /** Whether an identity provider keeps its password and role. */
  readonly federated: boolean;
}

/** An account with what admins want to know of it. */
export interface AccountDetailRow extends AccountRow {
  readonly hasPassword: boolean;
  readonly lastSeenAt: Date | null;
  readonly sessions: number;
  readonly ban: AccountBanRow | null;
}

/** Whoever keeps an account's password and role: an issuer, and the name it has there. */
export interface FederatedIdentity {
  readonly issuer: string;
  readonly subject: string;
}

const FIRST_ACCOUNT_LOCK = 4_832_002;
/** Channel that says an account or its sessions have changed; the payload is the account's id. */
export const ACCOUNTS_CHANNEL = 'account';

export const ACCOUNT_COLUMNS = [
  'account.account_id as accountId',
  'account.name',
  'account.role',
  'account.created_at as createdAt',
  'account.disabled_at as disabledAt',
] as const;
export const FEDERATED = sql<boolean>`account.issuer is not null`.as('federated');

/** Tells every replica, with the caller's transaction, to look again at what an account has open. */
export async function announceAccount(db: Db, accountId: string): Promise<void> {
  await sql`select pg_notify(${ACCOUNTS_CHANNEL}, ${accountId})`.execute(db);
}

/** Whether nobody has an account yet. Holds other bootstraps back until the transaction ends. */
export async function isFirstAccount(tx: Tx): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`.execute(tx);
  return !(await hasAccounts(tx));
}

export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom('account').select('account_id').limit(1).executeTakeFirst()) !== undefined;
}

export interface NewAccount {
  readonly accountId: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly passwordHash: string | null;
  readonly identity?: FederatedIdentity;
}

/** Makes an account; null where its name (whatever the case) or its identity is taken. */
export async function insertAccount(
  db: Db,
  { accountId, name, role, passwordHash, identity }: NewAccount,
): Promise<AccountRow | null> {
  const row = await db
    .insertInto('account')
    .values({
      account_id: accountId,
      name,
      role,
      password_hash: passwordHash,
      issuer: identity?.issuer ?? null,
      subject: identity?.subject ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning([...ACCOUNT_COLUMNS, FEDERATED])
    .executeTakeFirst();
  return row ?? null;
}

/** An account with its password hash, by name whatever its case; no hash where it has no password. */
export async function findAccountByName(
  db: Db,
  name: string,
): Promise<(AccountRow & { readonly passwordHash: string | null }) | null> {
  return findWithHash(db, sql<boolean>`lower(account.name) = lower(${name})`);
}

export async function findAccount(
  db: Db,
  accountId: string,
): Promise<(AccountRow & { readonly passwordHash: string | null }) | null> {
  return findWithHash(db, sql<boolean>`account.account_id = ${accountId}`);
}

export async function findAccountByIdentity(
  db: Db,
  { issuer, subject }: FederatedIdentity,
): Promise<(AccountRow & { readonly passwordHash: string | null }) | null> {
  return findWithHash(db, sql<boolean>`account.issuer = ${issuer} and account.subject = ${subject}`);
}

async function findWithHash(
  db: Db,
  which: Expression<boolean>,
): Promise<(AccountRow & { readonly passwordHash: string | null }) | null> {
  const row = await db
    .selectFrom('account')
    .select([...ACCOUNT_COLUMNS, FEDERATED, 'password_hash as passwordHash'])
    .where(which)
    .executeTakeFirst();
  return row ?? null;
}

/** Holds an account's row, and with it whatever else changes the account, until the transaction ends. */
export async function holdAccount(tx: Tx, accountId: string): Promise<AccountRow | null> {
  const row = await tx
    .selectFrom('account')
    .select([...ACCOUNT_COLUMNS, FEDERATED])
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Whether somebody besides this account can administer the village. Holds the rows of all admins, by id, until the transaction ends, so that
 * two admins cannot take each other out at once. Call it before the account's own row is held.
 */
export async function hasOtherAdmin(tx: Tx, accountId: string): Promise<boolean> {
  const admins = await tx
    .selectFrom('account')
    .select(['account_id as accountId', 'disabled_at as disabledAt'])
    .where('role', '=', 'admin')
    .orderBy('account_id')
    .forUpdate()
    .execute();
  const able = admins
    .filter((admin) => admin.disabledAt === null && admin.accountId !== accountId)
    .map((admin) => admin.accountId);
  if (able.length === 0) return false;
  const banned = await tx
    .selectFrom('account_ban')
    .select('account_id')
    .where(sql<boolean>`account_id = any(${able})`)
    .where(BAN_HOLDS)
    .execute();
  return banned.length < able.length;
}

/** Changes what is given. `passwordHash` null takes the password away. */
export async function updateAccount(
  tx: Tx,
  accountId: string,
  change: {
    readonly role?: AccountRole | undefined;
    readonly disabled?: boolean | undefined;
    readonly passwordHash?: string | null | undefined;
  },
): Promise<void> {
  const { role, disabled, passwordHash } = change;
  await tx
    .updateTable('account')
    .set({
      ...(role === undefined ? {} : { role }),
      ...(disabled === undefined ? {} : { disabled_at: disabled ? sql<Date>`coalesce(disabled_at, now())` : null }),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
    })
    .where('account_id', '=', accountId)
    .execute();
}

/** Accounts by name, after one of them, with their bans and the sessions that are open. */
export async function listAccountDetails(
  db: Db,
  page: { readonly after: string | null; readonly limit: number; readonly idleMs: number },
): Promise<readonly AccountDetailRow[]> {
  const { after, limit, idleMs } = page;
  const rows = await detailQuery(db, idleMs)
    .$if(after !== null, (query) => query.where(sql<boolean>`lower(account.name) > ${after}`))
    .orderBy(sql`lower(account.name)`)
    .limit(limit)
    .execute();
  return rows.map(detailOf);
}

export async function readAccountDetail(db: Db, accountId: string, idleMs: number): Promise<AccountDetailRow | null> {
  const row = await detailQuery(db, idleMs).where('account.account_id', '=', accountId).executeTakeFirst();
  return row === undefined ? null : detailOf(row);
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- the type of a query is its own description
function detailQuery(db: Db, idleMs: number) {
  return db
    .selectFrom('account')
    .leftJoin('account_ban', (join) => join.onRef('account_ban.account_id', '=', 'account.account_id').on(BAN_HOLDS))
    .select([
      ...ACCOUNT_COLUMNS,
      FEDERATED,
      sql<boolean>`account.password_hash is not null`.as('hasPassword'),
      sql<Date | null>`(select max(s.seen_at) from account_session s where s.account_id = account.account_id)`.as(
        'lastSeenAt',
      ),
      sql<number>`(select count(*)::int from account_session s where s.account_id = account.account_id and s.expires_at > now() and s.seen_at > now() - ${idleMs} * interval '1 millisecond')`.as(
        'sessions',
      ),
      'account_ban.reason as banReason',
      'account_ban.by_role as byRole',
      'account_ban.by_id as byId',
      'account_ban.since',
      'account_ban.expires_at as expiresAt',
    ]);
}

function detailOf({
  banReason,
  byRole,
  byId,
  since,
  expiresAt,
  ...account
}: AccountRow & {
  readonly hasPassword: boolean;
  readonly lastSeenAt: Date | null;
  readonly sessions: number;
  readonly banReason: string | null;
  readonly byRole: string | null;
  readonly byId: string | null;
  readonly since: Date | null;
  readonly expiresAt: Date | null;
}): AccountDetailRow {
  const isBanned = banReason !== null && byRole !== null && byId !== null && since !== null;
  return {
    ...account,
    ban: isBanned ? { accountId: account.accountId, reason: banReason, byRole, byId, since, expiresAt } : null,
  };
}
