import type { AccountRole } from '@hamlet/contract';
import { type Expression, type InferResult, type Selection, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';
import { type AccountBanRow, BAN_HOLDS } from './account-bans.ts';

type AccountWithHash = AccountRow & { readonly passwordHash: string | null };

export interface AccountDetailRow extends AccountRow {
  readonly hasPassword: boolean;
  readonly lastSeenAt: Date | null;
  readonly sessions: number;
  /** API keys that have not expired. */
  readonly keys: number;
  /** Links of messengers. */
  readonly messengers: number;
  readonly ban: AccountBanRow | null;
}

interface FederatedIdentity {
  readonly issuer: string;
  readonly subject: string;
}

const FIRST_ACCOUNT_LOCK = 4_832_002;
/** Channel that announces a change of an account or its sessions; the payload is the account's id. */
export const ACCOUNTS_CHANNEL = 'account';

export const ACCOUNT_COLUMNS = [
  'account.account_id as accountId',
  'account.name',
  'account.role',
  'account.created_at as createdAt',
  'account.disabled_at as disabledAt',
] as const;
/** True if an identity provider manages the password and role. */
export const FEDERATED = sql<boolean>`account.issuer is not null`.as('federated');

type Columns = Readonly<Selection<Tables, 'account', (typeof ACCOUNT_COLUMNS)[number]>>;
export type AccountRow = Columns & { readonly federated: boolean };

/** On commit, notifies every replica to check the open sockets of an account again. */
export async function announceAccount(db: Db, accountId: string): Promise<void> {
  await sql`select pg_notify(${ACCOUNTS_CHANNEL}, ${accountId})`.execute(db);
}

/** True if there is no account yet. Blocks other bootstraps until the transaction ends. */
export async function isFirstAccount(tx: Tx): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`.execute(tx);
  return !(await hasAccounts(tx));
}

export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom('account').select('account_id').limit(1).executeTakeFirst()) !== undefined;
}

interface NewAccount {
  readonly accountId: string;
  readonly name: string;
  readonly role: AccountRole;
  readonly passwordHash: string | null;
  readonly identity?: FederatedIdentity;
}

/** Creates an account; null if its name (ignoring case) or its identity is taken. */
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

/** An account with its password hash, by name, ignoring case; no hash if it has no password. */
export function findAccountByName(db: Db, name: string): Promise<AccountWithHash | null> {
  return findWithHash(db, sql<boolean>`lower(account.name) = lower(${name})`);
}

export function findAccount(db: Db, accountId: string): Promise<AccountWithHash | null> {
  return findWithHash(db, sql<boolean>`account.account_id = ${accountId}`);
}

export function findAccountByIdentity(db: Db, { issuer, subject }: FederatedIdentity): Promise<AccountWithHash | null> {
  return findWithHash(db, sql<boolean>`account.issuer = ${issuer} and account.subject = ${subject}`);
}

async function findWithHash(db: Db, which: Expression<boolean>): Promise<AccountWithHash | null> {
  const row = await db
    .selectFrom('account')
    .select([...ACCOUNT_COLUMNS, FEDERATED, 'password_hash as passwordHash'])
    .where(which)
    .executeTakeFirst();
  return row ?? null;
}

export async function lockAccount(tx: Tx, accountId: string): Promise<AccountRow | null> {
  const row = await tx
    .selectFrom('account')
    .select([...ACCOUNT_COLUMNS, FEDERATED])
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Locks all admins, so that two cannot remove each other concurrently. Call it before locking the account itself. */
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

/** Changes the given fields. `passwordHash` null removes the password. A name that another account has raises `isDuplicateError`. */
export async function updateAccount(
  tx: Tx,
  accountId: string,
  change: {
    readonly name?: string | undefined;
    readonly role?: AccountRole | undefined;
    readonly disabled?: boolean | undefined;
    readonly passwordHash?: string | null | undefined;
  },
): Promise<void> {
  const { name, role, disabled, passwordHash } = change;
  await tx
    .updateTable('account')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(role === undefined ? {} : { role }),
      ...(disabled === undefined ? {} : { disabled_at: disabled ? sql<Date>`coalesce(disabled_at, now())` : null }),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
    })
    .where('account_id', '=', accountId)
    .execute();
}

/** A page of accounts by name, with their bans and the numbers of their sessions, keys and messengers. */
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
      sql<number>`(select count(*)::int from account_key k where k.account_id = account.account_id and k.expires_at > now())`.as(
        'keys',
      ),
      sql<number>`(select count(*)::int from channel_identity i where i.account_id = account.account_id)`.as(
        'messengers',
      ),
      'account_ban.reason as banReason',
      'account_ban.by_role as byRole',
      'account_ban.by_id as byId',
      'account_ban.since',
      'account_ban.expires_at as expiresAt',
    ]);
}

type DetailRow = InferResult<ReturnType<typeof detailQuery>>[number];

function detailOf({ banReason, byRole, byId, since, expiresAt, ...account }: DetailRow): AccountDetailRow {
  const isBanned = banReason !== null && byRole !== null && byId !== null && since !== null;
  return {
    ...account,
    ban: isBanned ? { accountId: account.accountId, reason: banReason, byRole, byId, since, expiresAt } : null,
  };
}

/** Records the actor who created an account or reset its password, and so saw a code for it. */
export async function noteHand(
  tx: Tx,
  accountId: string,
  { act, by }: { readonly act: 'made' | 'reset'; readonly by: { readonly role: string; readonly id: string } },
): Promise<void> {
  await tx.insertInto('account_hand').values({ account_id: accountId, act, by_role: by.role, by_id: by.id }).execute();
}

interface SecondEyes {
  /** Creation of the account, or its last reset. */
  readonly ownSince: Date;
  /** Ids of the actors who created or reset this account, transitively. */
  readonly hands: readonly string[];
}

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
