import { type Channel, FEDERATED_KEY_DAYS_MAX } from '@hamlet/contract';
import { type Selection, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';
import { BAN_HOLDS } from '../people/account-bans.ts';
import { ACCOUNT_COLUMNS, type AccountRow, FEDERATED, lockAccount } from '../people/accounts.ts';

const COLUMNS = [
  'identity_id as identityId',
  'channel',
  'external_id as externalId',
  'name',
  'linked_at as linkedAt',
] as const;
export type ChannelIdentityRow = Readonly<Selection<Tables, 'channel_identity', (typeof COLUMNS)[number]>> &
  Pick<Sender, 'channel'>;

/** An account at a messenger, as the messenger names it. */
interface Sender {
  readonly channel: Channel;
  readonly externalId: string;
  readonly name: string;
}

/** Stores the hash of a code that links an identity once; an earlier code becomes invalid. */
export async function keepChannelCode(
  tx: Tx,
  code: { readonly accountId: string; readonly codeHash: Uint8Array; readonly expiresAt: Date },
): Promise<void> {
  const values = { code_hash: Buffer.from(code.codeHash), expires_at: code.expiresAt };
  await tx
    .insertInto('channel_code')
    .values({ account_id: code.accountId, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute();
}

/** The account of a code, without using up the code; null if the code is unknown or expired. */
export async function findCodeAccount(
  db: Db,
  codeHash: Uint8Array,
): Promise<Pick<AccountRow, 'accountId' | 'name'> | null> {
  const row = await db
    .selectFrom('channel_code')
    .innerJoin('account', 'account.account_id', 'channel_code.account_id')
    .select(['account.account_id as accountId', 'account.name'])
    .where('code_hash', '=', Buffer.from(codeHash))
    .where(sql<boolean>`expires_at > now()`)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes a code, so that it works once, and returns its account, locked; null if the code is unknown or expired. */
export async function takeChannelCode(tx: Tx, codeHash: Uint8Array): Promise<AccountRow | null> {
  const hash = Buffer.from(codeHash);
  const of = await tx
    .selectFrom('channel_code')
    .select('account_id as accountId')
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  // Lock the account before its rows, in the order of a reset and of the end of an account.
  const account = of === undefined ? null : await lockAccount(tx, of.accountId);
  const row = await tx
    .deleteFrom('channel_code')
    .where('code_hash', '=', hash)
    .returning(sql<boolean>`expires_at > now()`.as('inTime'))
    .executeTakeFirst();
  return row?.inTime === true ? account : null;
}

/** Links an account at a messenger to a person; a link to another person ends, with its sessions. Returns the id. */
export async function linkIdentity(tx: Tx, sender: Sender, accountId: string): Promise<string> {
  const { channel, externalId, name } = sender;
  await tx
    .deleteFrom('channel_identity')
    .where('channel', '=', channel)
    .where('external_id', '=', externalId)
    .where('account_id', '!=', accountId)
    .execute();
  const { identityId } = await tx
    .insertInto('channel_identity')
    .values({ channel, external_id: externalId, name, account_id: accountId })
    .onConflict((conflict) =>
      conflict.columns(['channel', 'external_id']).doUpdateSet({ name, linked_at: sql<Date>`now()` }),
    )
    .returning('identity_id as identityId')
    .executeTakeFirstOrThrow();
  return identityId;
}

export function listIdentities(db: Db, accountId: string): Promise<readonly ChannelIdentityRow[]> {
  return db
    .selectFrom('channel_identity')
    .select(COLUMNS)
    .$narrowType<Pick<Sender, 'channel'>>()
    .where('account_id', '=', accountId)
    .orderBy('linked_at', 'desc')
    .orderBy('identity_id')
    .execute();
}

/** Ends a link of a person. Returns the name at the messenger; null if the person has no such link. */
export async function unlinkIdentity(tx: Tx, accountId: string, identityId: string): Promise<string | null> {
  const row = await tx
    .deleteFrom('channel_identity')
    .where('account_id', '=', accountId)
    .where('identity_id', '=', identityId)
    .returning('name')
    .executeTakeFirst();
  return row?.name ?? null;
}

/** Ends all links of a person, and the code that could make another. */
export async function unlinkAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('channel_code').where('account_id', '=', accountId).execute();
  await tx.deleteFrom('channel_identity').where('account_id', '=', accountId).execute();
}

/** An identity provider does not announce that a person has left, so their links end as their API keys do. */
const LINK_HOLDS = sql<boolean>`(account.issuer is null
  or channel_identity.linked_at > now() - ${FEDERATED_KEY_DAYS_MAX} * interval '1 day')`;

export interface LinkedPerson extends AccountRow {
  readonly identityId: string;
  readonly externalId: string;
  readonly ban: { readonly reason: string; readonly expiresAt: Date | null } | null;
}

/**
 * The person behind an account at a messenger, or behind a link; null without a valid link, or if the account is
 * disabled.
 */
export async function findLinkedPerson(
  db: Db,
  which: Pick<Sender, 'channel' | 'externalId'> | { readonly identityId: string },
): Promise<LinkedPerson | null> {
  const row = await db
    .selectFrom('channel_identity')
    .innerJoin('account', 'account.account_id', 'channel_identity.account_id')
    .leftJoin('account_ban', (join) => join.onRef('account_ban.account_id', '=', 'account.account_id').on(BAN_HOLDS))
    .select([
      ...ACCOUNT_COLUMNS,
      FEDERATED,
      'channel_identity.identity_id as identityId',
      'channel_identity.external_id as externalId',
      'account_ban.reason as banReason',
      'account_ban.expires_at as banExpiresAt',
    ])
    .where('account.disabled_at', 'is', null)
    .where(LINK_HOLDS)
    .where((is) =>
      'identityId' in which
        ? is('channel_identity.identity_id', '=', which.identityId)
        : is.and({ 'channel_identity.channel': which.channel, 'channel_identity.external_id': which.externalId }),
    )
    .executeTakeFirst();
  if (row === undefined) return null;
  const { banReason, banExpiresAt, ...person } = row;
  return { ...person, ban: banReason === null ? null : { reason: banReason, expiresAt: banExpiresAt } };
}
