import { findSessions, inTransaction, lockAccount, type AccountRow, type Db, type Tx } from '@hamlet/store';
import type { IncomingHttpHeaders } from 'node:http';
import { hashOf } from '../auth/secrets.ts';
import type { Actor } from '../http/actor.ts';
import { refused, type Outcome } from '../http/outcome.ts';
import { SESSION_IDLE_MS, sessionOf } from '../http/session-cookie.ts';
import { accountOf } from './account-view.ts';

interface SignedIn {
  readonly actor: Actor;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Locks the account of a person whose session has not ended meanwhile; null otherwise. A reset or the end of the account holds the same lock,
 * so a request that waited for it gives no new access afterwards.
 */
export async function lockSignedIn(tx: Tx, { actor, headers }: SignedIn): Promise<AccountRow | null> {
  const accountId = accountOf(actor);
  const session = sessionOf(headers.cookie);
  if (accountId === null || session === null) return null;
  const account = await lockAccount(tx, accountId);
  const [holder] = await findSessions(tx, [hashOf(session)], SESSION_IDLE_MS);
  return holder?.accountId === accountId ? account : null;
}

/** Carries out a write of a person in a transaction after {@link lockSignedIn}. */
export function asSignedIn<T>(
  db: Db,
  request: SignedIn,
  write: (tx: Tx, account: AccountRow) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  return inTransaction(db, async (tx) => {
    const account = await lockSignedIn(tx, request);
    return account === null ? refused('session_needed') : write(tx, account);
  });
}
