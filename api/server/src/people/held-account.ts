import type { AccountDetail, CodeGrant } from '@hamlet/contract';
import { hasOtherAdmin, lockAccount, keepAccountCode, readAccountDetail } from '@hamlet/store';
import type { AccountRow, Db, Tx } from '@hamlet/store';
import { hashOf, newSecret } from '../auth/secrets.ts';
import { SESSION_IDLE_MS } from '../http/session-cookie.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { accountDetail } from './account-view.ts';

const CODE_LIFE_MS = 72 * 3_600_000;
const CODE_PREFIX = 'hic_';

export async function shownAccount(db: Db, accountId: string): Promise<Outcome<{ account: AccountDetail }>> {
  const row = await readAccountDetail(db, accountId, SESSION_IDLE_MS);
  return row === null ? refused('no_such_account') : accepted({ account: accountDetail(row) });
}

export async function grantCode(tx: Tx, accountId: string, now: Date): Promise<CodeGrant> {
  const code = newSecret(CODE_PREFIX);
  const expiresAt = new Date(now.getTime() + CODE_LIFE_MS);
  await keepAccountCode(tx, { accountId, codeHash: hashOf(code), expiresAt });
  return { code, expires_at: expiresAt.toISOString() };
}

/** With `mayTakeAdmin`, locks all admins first, and refuses if this account is the last one. */
export async function holdForChange(tx: Tx, accountId: string, mayTakeAdmin: boolean): Promise<AccountRow | Refused> {
  const others = mayTakeAdmin ? await hasOtherAdmin(tx, accountId) : true;
  const account = await lockAccount(tx, accountId);
  if (account === null) return refused('no_such_account');
  return account.role === 'admin' && !others ? refused('last_admin') : account;
}
