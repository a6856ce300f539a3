import { randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Account } from '@hamlet/contract';
import { hash, verify } from '@node-rs/argon2';
import { deleteSession, findAccountByName, inTransaction, insertAccount, insertSession, isFirstAccount } from '@hamlet/store';
import type { AccountRow, Db } from '@hamlet/store';
import { refused } from '../http/outcome.ts';
import type { Outcome } from '../http/outcome.ts';
import { hashOf, newSecret } from './secrets.ts';
import { endedSessionCookie, SESSION_MAX_MS, sessionCookie } from './session-cookie.ts';

/** OWASP's argon2id setting for 19 MiB; `hash` uses argon2id by default. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

type SignIn = Outcome<{ account: Account }>;

function shown(row: AccountRow): Account {
  return { account_id: row.accountId, name: row.name, role: row.role, created_at: row.createdAt.toISOString() };
}

async function openSession(db: Db, row: AccountRow, now: Date): Promise<SignIn> {
  const id = newSecret('');
  await insertSession(db, { idHash: hashOf(id), accountId: row.accountId, expiresAt: new Date(now.getTime() + SESSION_MAX_MS) });
  return { ok: true, data: { account: shown(row) }, cookies: [sessionCookie(id)] };
}

async function isCode(given: string, codeFile: string | undefined): Promise<boolean> {
  const code = codeFile === undefined ? '' : (await readFile(codeFile, 'utf8').catch(() => '')).trim();
  return code !== '' && timingSafeEqual(hashOf(given.trim()), hashOf(code));
}

/** Makes the first account, an admin, for who knows the one-time code; then never again. */
export async function bootstrap(ports: { readonly db: Db; readonly codeFile: string | undefined }, wish: { readonly code: string; readonly name: string; readonly password: string }, now: Date): Promise<SignIn> {
  const right = await isCode(wish.code, ports.codeFile);
  const passwordHash = await hash(wish.password, ARGON2);
  return inTransaction(ports.db, async (tx): Promise<SignIn> => {
    if (!(await isFirstAccount(tx))) return refused('bootstrap_closed');
    if (!right) return refused('bootstrap_code_wrong');
    const row = await insertAccount(tx, { accountId: randomUUID(), name: wish.name, role: 'admin', passwordHash });
    return openSession(tx, row, now);
  });
}

/** Opens a session for a name and its password. */
export async function logIn(db: Db, wish: { readonly name: string; readonly password: string }, now: Date): Promise<SignIn> {
  const found = await findAccountByName(db, wish.name);
  // An unknown name costs a hash too, so that it takes as long as a wrong password.
  const right = found === null ? (await hash(wish.password, ARGON2)) === '' : await verify(found.passwordHash, wish.password);
  return right && found !== null ? openSession(db, found, now) : refused('credentials_wrong');
}

/** Ends the session of a cookie. */
export async function logOut(db: Db, sessionId: string | null): Promise<Outcome<{ signed_out: true }>> {
  if (sessionId !== null) await deleteSession(db, hashOf(sessionId));
  return { ok: true, data: { signed_out: true }, cookies: [endedSessionCookie()] };
}
