import { randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { Account, SignInBy } from '@hamlet/contract';
import {
  endSessionOf,
  endSessions,
  findAccount,
  findAccountByName,
  hasAccounts,
  lockAccount,
  inTransaction,
  insertAccount,
  insertSession,
  isAccountCode,
  isFirstAccount,
  readAccountBan,
  readAudit,
  takeAccountCode,
  updateAccount,
} from '@hamlet/store';
import type { AccountRow, Db, Tx } from '@hamlet/store';
import type { Passwords } from '../auth/password.ts';
import { hashOf, newSecret } from '../auth/secrets.ts';
import { endedSessionCookie, SESSION_MAX_MS, sessionCookie, sessionOf } from '../http/session-cookie.ts';
import { isPrivateConnection } from '../http/origin.ts';
import { refused, type Outcome, type Refused } from '../http/outcome.ts';
import { accountView } from './account-view.ts';
import { accountObject, refusalOfBan } from '../auth/account-actor.ts';
import { recordAct } from '../audit/record-act.ts';
import { z } from 'zod';
import type { Attempt, SignInThrottle } from './sign-in-throttle.ts';

/** Number of newest acts of an account in which the API looks for addresses of earlier sign-ins. */
const KNOWN_ACTS = 200;
const SessionOpened = z.object({ address: z.string() });

export type SignIn = Outcome<{ account: Account }>;

export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly now: Date;
  readonly requestId: string;
  readonly traceparent: string;
}

interface SignInPorts {
  readonly db: Db;
  readonly throttle: SignInThrottle;
  readonly passwords: Passwords;
  readonly bootstrapCodeFile: string | undefined;
}

export interface Opening {
  readonly account: AccountRow;
  readonly by: SignInBy;
}

/** Opens a session under a new id and ends the browser's earlier session. Returns the cookie. */
export async function openSession(tx: Tx, { account, by }: Opening, arrival: Arrival): Promise<string> {
  const { headers, address, now, requestId, traceparent } = arrival;
  const before = sessionOf(headers.cookie);
  if (before !== null) await endSessionOf(tx, hashOf(before));
  const id = newSecret('');
  const expiresAt = new Date(now.getTime() + SESSION_MAX_MS);
  await insertSession(tx, {
    idHash: hashOf(id),
    accountId: account.accountId,
    expiresAt,
    signedInBy: by,
    address,
    userAgent: headers['user-agent'] ?? null,
  });
  const object = accountObject(account.accountId);
  await recordAct(
    tx,
    { actor: { role: account.role, id: object }, requestId, traceparent },
    { action: 'session.open', object, detail: { by, address } },
  );
  return sessionCookie(id);
}

async function signedIn(tx: Tx, opening: Opening, arrival: Arrival): Promise<SignIn> {
  const cookie = await openSession(tx, opening, arrival);
  return { ok: true, data: { account: accountView(opening.account) }, cookies: [cookie] };
}

export async function refuseBarredAccount(db: Db, account: AccountRow): Promise<Refused | null> {
  if (account.disabledAt !== null) return refused('account_disabled');
  const ban = await readAccountBan(db, account.accountId);
  return ban === null ? null : refusalOfBan(ban);
}

async function isCode(given: string, codeFile: string | undefined): Promise<boolean> {
  const code = codeFile === undefined ? '' : (await readFile(codeFile, 'utf8').catch(() => '')).trim();
  return code !== '' && timingSafeEqual(hashOf(given.trim()), hashOf(code));
}

/** Creates the first account, an admin, with the one-time code. Refuses if any account exists. */
export async function bootstrap(
  ports: SignInPorts,
  wish: { readonly code: string; readonly name: string; readonly password: string },
  arrival: Arrival,
): Promise<SignIn> {
  if (!isPrivateConnection(arrival.headers)) return refused('tls_required');
  return attempted(ports.throttle.begin('bootstrap', arrival.address), async (attempt) => {
    // Cheap checks come first: a hash costs 19 MiB and a thread.
    if (await hasAccounts(ports.db)) return refused('bootstrap_closed');
    if (!(await isCode(wish.code, ports.bootstrapCodeFile))) return refused('bootstrap_code_wrong');
    attempt.takeBack();
    const passwordHash = await ports.passwords.hash(wish.password);
    return inTransaction(ports.db, async (tx): Promise<SignIn> => {
      if (!(await isFirstAccount(tx))) return refused('bootstrap_closed');
      const account = await insertAccount(tx, {
        accountId: randomUUID(),
        name: wish.name,
        role: 'admin',
        passwordHash,
      });
      return account === null ? refused('bootstrap_closed') : signedIn(tx, { account, by: 'bootstrap' }, arrival);
    });
  });
}

/** Runs an attempt. It counts as a wrong guess unless `make`, or an exception such as a lost connection, takes it back. */
async function attempted(attempt: Attempt | Refused, make: (attempt: Attempt) => Promise<SignIn>): Promise<SignIn> {
  if (!attempt.ok) return attempt;
  try {
    return await make(attempt);
  } catch (error) {
    attempt.takeBack();
    throw error;
  }
}

async function hasSignedInFrom(db: Db, accountId: string, address: string): Promise<boolean> {
  const acts = await readAudit(db, accountObject(accountId), KNOWN_ACTS);
  return acts.some(
    ({ action, detail }) => action === 'session.open' && SessionOpened.safeParse(detail).data?.address === address,
  );
}

/**
 * Locks an account whose password was checked; null if the password was changed in the meantime or the account is gone.
 */
async function holdUnchanged(
  tx: Tx,
  account: AccountRow & { readonly passwordHash: string | null },
): Promise<AccountRow | null> {
  const held = await lockAccount(tx, account.accountId);
  const now = held === null ? null : await findAccount(tx, account.accountId);
  return now?.passwordHash === account.passwordHash ? held : null;
}

/** Opens a session for a name and its password. Only a caller with the right password learns that an account is disabled or banned. */
export async function logIn(
  ports: SignInPorts,
  wish: { readonly name: string; readonly password: string },
  arrival: Arrival,
): Promise<SignIn> {
  if (!isPrivateConnection(arrival.headers)) return refused('tls_required');
  return attempted(ports.throttle.begin(wish.name, arrival.address), async (attempt) => {
    const found = await findAccountByName(ports.db, wish.name);
    // Guesses from other addresses do not lock a person out at an address that they have used before.
    const isStranger =
      attempt.nameIsUnderAttack &&
      (found === null || !(await hasSignedInFrom(ports.db, found.accountId, arrival.address)));
    if (isStranger) return ports.throttle.refuseName(wish.name);
    if (!(await ports.passwords.is(wish.password, found?.passwordHash)) || found === null)
      return refused('credentials_wrong');
    return inTransaction(ports.db, async (tx) => {
      const account = await holdUnchanged(tx, found);
      if (account === null) return refused('credentials_wrong');
      attempt.takeBack();
      return (await refuseBarredAccount(tx, account)) ?? signedIn(tx, { account, by: 'password' }, arrival);
    });
  });
}

/** Sets a password with a one-time code, which is void afterwards, and opens a session. All other sessions of the account end. */
export async function redeemCode(
  ports: SignInPorts,
  wish: { readonly code: string; readonly password: string },
  arrival: Arrival,
): Promise<SignIn> {
  if (!isPrivateConnection(arrival.headers)) return refused('tls_required');
  return attempted(ports.throttle.begin('code', arrival.address), async (attempt) => {
    const codeHash = hashOf(wish.code.trim());
    if (!(await isAccountCode(ports.db, codeHash))) return refused('code_invalid');
    attempt.takeBack();
    const passwordHash = await ports.passwords.hash(wish.password);
    return inTransaction(ports.db, async (tx): Promise<SignIn> => {
      const accountId = await takeAccountCode(tx, codeHash);
      const account = accountId === null ? null : await lockAccount(tx, accountId);
      if (account === null) return refused('code_invalid');
      const barred = await refuseBarredAccount(tx, account);
      if (barred !== null) return barred;
      await updateAccount(tx, account.accountId, { passwordHash });
      await endSessions(tx, account.accountId, 'all');
      return signedIn(tx, { account, by: 'code' }, arrival);
    });
  });
}

/** Changes a person's own password. All their sessions end; the calling browser gets a new session. */
export async function changeOwnPassword(
  ports: SignInPorts,
  asked: { readonly accountId: string; readonly current: string; readonly wanted: string },
  arrival: Arrival,
): Promise<SignIn> {
  const account = await findAccount(ports.db, asked.accountId);
  if (account === null) return refused('session_needed');
  if (account.federated) return refused('account_is_federated');
  return attempted(ports.throttle.begin(account.name, arrival.address), async (attempt) => {
    if (!(await ports.passwords.is(asked.current, account.passwordHash)))
      return refused('credentials_wrong', 'The current password is wrong: try again');
    attempt.takeBack();
    const passwordHash = await ports.passwords.hash(asked.wanted);
    return inTransaction(ports.db, async (tx) => {
      if ((await holdUnchanged(tx, account)) === null)
        return refused('credentials_wrong', 'The password was changed in the meantime: sign in again');
      await updateAccount(tx, account.accountId, { passwordHash });
      const object = accountObject(account.accountId);
      await recordAct(
        tx,
        { ...arrival, actor: { role: account.role, id: object } },
        { action: 'account.password', object, detail: {} },
      );
      await endSessions(tx, account.accountId, 'all');
      return signedIn(tx, { account, by: 'password' }, arrival);
    });
  });
}

export async function logOut(db: Db, sessionId: string | null): Promise<Outcome<{ signed_out: true }>> {
  if (sessionId !== null) await inTransaction(db, (tx) => endSessionOf(tx, hashOf(sessionId)));
  return { ok: true, data: { signed_out: true }, cookies: [endedSessionCookie()] };
}
