import type { SignInBy } from '@hamlet/contract';
import { sql } from 'kysely';
import { byHash } from '../connection/result-rows.ts';
import { asColumns } from '../connection/as-columns.ts';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';
import { BAN_HOLDS } from './account-bans.ts';
import { ACCOUNT_COLUMNS, type AccountRow, announceAccount, FEDERATED } from './accounts.ts';

interface NewSession {
  readonly idHash: Uint8Array;
  readonly accountId: string;
  readonly expiresAt: Date;
  readonly signedInBy: SignInBy;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export type SessionRow = Row<'account_session'>;

interface SessionHolder extends AccountRow {
  readonly ban: { readonly reason: string; readonly expiresAt: Date | null } | null;
}

/** Maximum number of stored characters of the browser's address and of its user agent. */
const ADDRESS_MAX_CHARS = 64;
const USER_AGENT_MAX_CHARS = 256;

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await db
    .insertInto('account_session')
    .values({
      ...asColumns(session),
      address: session.address?.slice(0, ADDRESS_MAX_CHARS) ?? null,
      user_agent: session.userAgent?.slice(0, USER_AGENT_MAX_CHARS) ?? null,
    })
    .execute();
}

function isOpen(idleMs: number): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`account_session.expires_at > now() and account_session.seen_at > now() - ${idleMs} * interval '1 millisecond'`;
}

/**
 * The session of a secret; null if unknown, expired, idle longer than `idleMs`, or of a disabled account. Records its
 * use at most once a minute.
 */
export async function findSessions(
  db: Db,
  idHashes: readonly Buffer[],
  idleMs: number,
): Promise<readonly (SessionHolder | null)[]> {
  const rows = await db
    .selectFrom('account_session')
    .innerJoin('account', 'account.account_id', 'account_session.account_id')
    .leftJoin('account_ban', (join) => join.onRef('account_ban.account_id', '=', 'account.account_id').on(BAN_HOLDS))
    .select([
      ...ACCOUNT_COLUMNS,
      FEDERATED,
      'account_session.id_hash as hash',
      'account_ban.reason as banReason',
      'account_ban.expires_at as banExpiresAt',
      sql<boolean>`account_session.seen_at < now() - interval '1 minute'`.as('stale'),
    ])
    .where(sql<boolean>`id_hash = any(${idHashes})`)
    .where(isOpen(idleMs))
    .where('account.disabled_at', 'is', null)
    .execute();
  await noteUse(
    db,
    rows.flatMap(({ stale, hash }) => (stale ? [hash] : [])),
  );
  return byHash(idHashes, rows).map((row) => {
    if (row === null) return null;
    const { stale: _stale, hash: _hash, banReason, banExpiresAt, ...account } = row;
    return { ...account, ban: banReason === null ? null : { reason: banReason, expiresAt: banExpiresAt } };
  });
}

/** Skips locked rows, so that two such updates cannot deadlock. */
async function noteUse(db: Db, idHashes: readonly Buffer[]): Promise<void> {
  if (idHashes.length === 0) return;
  await db
    .updateTable('account_session')
    .set({ seen_at: sql`now()` })
    .where('id_hash', 'in', (query) =>
      query
        .selectFrom('account_session')
        .select('id_hash')
        .where(sql<boolean>`id_hash = any(${idHashes})`)
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}

export async function listSessions(db: Db, accountId: string, idleMs: number): Promise<readonly SessionRow[]> {
  return db
    .selectFrom('account_session')
    .select(COLUMNS.account_session)
    .where('account_id', '=', accountId)
    .where(isOpen(idleMs))
    .orderBy('created_at', 'desc')
    .orderBy('session_id')
    .execute();
}

/** Sessions of an account: all, one by the id of its row or by the hash of its secret, or all but one. */
type WhichSessions =
  | { readonly sessionId: string }
  | { readonly idHash: Uint8Array }
  | { readonly butIdHash: Uint8Array }
  | 'all';

/** Ends sessions of an account and notifies every replica to close their sockets. Returns their number. */
export async function endSessions(tx: Tx, accountId: string, which: WhichSessions): Promise<number> {
  const ended = await tx
    .deleteFrom('account_session')
    .where('account_id', '=', accountId)
    .$if(which !== 'all', (query) => {
      if (which === 'all') return query;
      if ('sessionId' in which) return query.where('session_id', '=', which.sessionId);
      return 'idHash' in which
        ? query.where('id_hash', '=', Buffer.from(which.idHash))
        : query.where('id_hash', '!=', Buffer.from(which.butIdHash));
    })
    .returning('session_id')
    .execute();
  if (ended.length > 0) await announceAccount(tx, accountId);
  return ended.length;
}

export async function endSessionOf(tx: Tx, idHash: Uint8Array): Promise<string | null> {
  const row = await tx
    .deleteFrom('account_session')
    .where('id_hash', '=', Buffer.from(idHash))
    .returning('account_id as accountId')
    .executeTakeFirst();
  if (row !== undefined) await announceAccount(tx, row.accountId);
  return row?.accountId ?? null;
}

/** Deletes sessions that have ended or were idle for longer than `idleMs`. */
export async function forgetEndedSessions(db: Db, idleMs: number): Promise<void> {
  await db
    .deleteFrom('account_session')
    .where(sql<boolean>`not (${isOpen(idleMs)})`)
    .execute();
}
