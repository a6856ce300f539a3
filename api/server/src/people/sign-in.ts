import { randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { Account, SignInBy } from '@hamlet/contract';
import {
  endSessionOf, endSessions, findAccount, findAccountByName, holdAccount, inTransaction, insertAccount, insertSession, isFirstAccount, readAccountBan, takeAccountCode,
  updateAccount,
} from '@hamlet/store';
import type { AccountRow, Db, Tx } from '@hamlet/store';
import { hashPassword, isPassword } from '../auth/password.ts';
import { hashOf, newSecret } from '../auth/secrets.ts';
import { endedSessionCookie, SESSION_MAX_MS, sessionCookie, sessionOf } from '../auth/session-cookie.ts';
import { isPrivateConnection } from '../http/admission/origin.ts';
import { refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { accountView, refusalOfBan } from './account-view.ts';
import { recordAct } from '../audit/record-act.ts';
import { accountObject } from './account-object.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

export type SignIn = Outcome<{ account: Account }>;

/** The request by which somebody signs in. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly now: Date;
  readonly requestId: string;
  readonly traceparent: string;
}

export interface SignInPorts {
  readonly db: Db;
  readonly throttle: SignInThrottle;
  readonly bootstrapCodeFile: string | undefined;
}

/** Whose session is opened, and how. */
export interface Opening {
  readonly account: AccountRow;
  readonly by: SignInBy;
}

/** Opens a session under a new id; the one that the browser had ends. Returns the cookie. */
export async function openSession(tx: Tx, { account, by }: Opening, arrival: Arrival): Promise<string> {
  const { headers, address, now, requestId, traceparent } = arrival;
  const before = sessionOf(headers.cookie);
  if (before !== null) await endSessionOf(tx, hashOf(before));
  const id = newSecret('');
  const expiresAt = new Date(now.getTime() + SESSION_MAX_MS);
  await insertSession(tx, { idHash: hashOf(id), accountId: account.accountId, expiresAt, signedInBy: by, address, userAgent: headers['user-agent'] ?? null });
  const object = accountObject(account.accountId);
  await recordAct(tx, { actor: { role: account.role, id: object }, requestId, traceparent }, { action: 'session.open', object, detail: { by, address } });
  return sessionCookie(id);
}

async function signedIn(tx: Tx, opening: Opening, arrival: Arrival): Promise<SignIn> {
  const cookie = await openSession(tx, opening, arrival);
  return { ok: true, data: { account: accountView(opening.account) }, cookies: [cookie] };
}

/** Why this account may not sign in, though it could; null where it may. */
export async function refuseBarredAccount(db: Db, account: AccountRow): Promise<Refused | null> {
  if (account.disabledAt !== null) return refused('account_disabled');
  const ban = await readAccountBan(db, account.accountId);
  return ban === null ? null : refusalOfBan(ban);
}

async function isCode(given: string, codeFile: string | undefined): Promise<boolean> {
  const code = codeFile === undefined ? '' : (await readFile(codeFile, 'utf8').catch(() => '')).trim();
  return code !== '' && timingSafeEqual(hashOf(given.trim()), hashOf(code));
}

/** Makes the first account, an admin, for who knows the one-time code; then never again. */
export async function bootstrap(ports: SignInPorts, wish: { readonly code: string; readonly name: string; readonly password: string }, arrival: Arrival): Promise<SignIn> {
  if (!isPrivateConnection(arrival.headers)) return refused('tls_required');
  const limited = ports.throttle.refuse('bootstrap', arrival.address);
  if (limited !== null) return limited;
  const right = await isCode(wish.code, ports.bootstrapCodeFile);
  if (!right) ports.throttle.note('bootstrap', arrival.address);
  const passwordHash = await hashPassword(wish.password);
  return inTransaction(ports.db, async (tx): Promise<SignIn> => {
    if (!(await isFirstAccount(tx))) return refused('bootstrap_closed');
    if (!right) return refused('bootstrap_code_wrong');
    const account = await insertAccount(tx, { accountId: randomUUID(), name: wish.name, role: 'admin', passwordHash });
    return account === null ? refused('bootstrap_closed') : signedIn(tx, { account, by: 'bootstrap' }, arrival);
  });
}

/** Opens a session for a name and its password. Why an account is barred is told to nobody but who knows its password. */
export async function logIn(ports: SignInPorts, wish: { readonly name: string; readonly password: string }, arrival: Arrival): Promise<SignIn> {
  if (!isPrivateConnection(arrival.headers)) return refused('tls_required');
  const limited = ports.throttle.refuse(wish.name, arrival.address);
  if (limited !== null) return limited;
  const found = await findAccountByName(ports.db, wish.name);
  if (!(await isPassword(wish.password, found?.passwordHash)) || found === null) {
    ports.throttle.note(wish.name, arrival.address);
    return refused('credentials_wrong');
  }
  return inTransaction(ports.db, async (tx) => (await refuseBarredAccount(tx, found)) ?? signedIn(tx, { account: found, by: 'password' }, arrival));
}

/** Sets a password with a one-time code, which is used up, and opens a session; every other session of the account ends. */
export async function redeemCode(ports: SignInPorts, wish: { readonly code: string; readonly password: string }, arrival: Arrival): Promise<SignIn> {
  if (!isPrivateConnection(arrival.headers)) return refused('tls_required');
  const limited = ports.throttle.refuse('code', arrival.address);
  if (limited !== null) return limited;
  const passwordHash = await hashPassword(wish.password);
  return inTransaction(ports.db, async (tx): Promise<SignIn> => {
    const accountId = await takeAccountCode(tx, hashOf(wish.code.trim()));
    const account = accountId === null ? null : await holdAccount(tx, accountId);
    if (account === null) {
      ports.throttle.note('code', arrival.address);
      return refused('code_invalid');
    }
    const barred = await refuseBarredAccount(tx, account);
    if (barred !== null) return barred;
    await updateAccount(tx, account.accountId, { passwordHash });
    await endSessions(tx, account.accountId, 'all');
    return signedIn(tx, { account, by: 'code' }, arrival);
  });
}

/** Changes a person's own password. Every session of theirs ends; the one that asks goes on under a new id. */
export async function changeOwnPassword(ports: SignInPorts, asked: { readonly accountId: string; readonly current: string; readonly wanted: string }, arrival: Arrival): Promise<SignIn> {
  const account = await findAccount(ports.db, asked.accountId);
  if (account === null) return refused('session_needed');
  if (account.federated) return refused('account_is_federated');
  const limited = ports.throttle.refuse(account.name, arrival.address);
  if (limited !== null) return limited;
  if (!(await isPassword(asked.current, account.passwordHash))) {
    ports.throttle.note(account.name, arrival.address);
    return refused('credentials_wrong', 'The current password is not right');
  }
  const passwordHash = await hashPassword(asked.wanted);
  return inTransaction(ports.db, async (tx) => {
    await updateAccount(tx, account.accountId, { passwordHash });
    const object = accountObject(account.accountId);
    await recordAct(tx, { ...arrival, actor: { role: account.role, id: object } }, { action: 'account.password', object, detail: {} });
    await endSessions(tx, account.accountId, 'all');
    return signedIn(tx, { account, by: 'password' }, arrival);
  });
}

/** Ends the session of a cookie. */
export async function logOut(db: Db, sessionId: string | null): Promise<Outcome<{ signed_out: true }>> {
  if (sessionId !== null) await inTransaction(db, (tx) => endSessionOf(tx, hashOf(sessionId)));
  return { ok: true, data: { signed_out: true }, cookies: [endedSessionCookie()] };
}
