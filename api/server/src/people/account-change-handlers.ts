import { randomUUID } from 'node:crypto';
import { ACCOUNT_CODE_PREFIX, type AccountDetail, type AccountRole, type CodeGrant } from '@hamlet/contract';
import type { AccountRow, Tx, Db } from '@hamlet/store';
import {
  announceAccount,
  deleteAccountKeys,
  endSessions,
  findAccount,
  inTransaction,
  insertAccountBan,
  liftAccountBanRow,
  noteHand,
  updateAccount,
  cutPage,
  insertAccount,
  listAccountDetails,
  listSessions,
  hasOtherAdmin,
  lockAccount,
  keepAccountCode,
  readAccountDetail,
  unlinkAccount,
} from '@hamlet/store';
import { z } from 'zod';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import type { PeopleServices } from './start-people.ts';
import type { Acting } from '../audit/record-act.ts';
import { auditAccount } from '../auth/account-actor.ts';
import { SESSION_IDLE_MS } from '../http/session-cookie.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { accountDetail, sessionView } from './account-view.ts';
import { hashOf, newSecret } from '../auth/secrets.ts';

const CODE_LIFE_MS = 72 * 3_600_000;

async function shownAccount(db: Db, accountId: string): Promise<Outcome<{ account: AccountDetail }>> {
  const row = await readAccountDetail(db, accountId, SESSION_IDLE_MS);
  return row === null ? refused('no_such_account') : accepted({ account: accountDetail(row) });
}

async function grantCode(tx: Tx, accountId: string, now: Date): Promise<CodeGrant> {
  const code = newSecret(ACCOUNT_CODE_PREFIX);
  const expiresAt = new Date(now.getTime() + CODE_LIFE_MS);
  await keepAccountCode(tx, { accountId, codeHash: hashOf(code), expiresAt });
  return { code, expires_at: expiresAt.toISOString() };
}

/** With `mayTakeAdmin`, locks all admins first, and refuses if this account is the last one. */
async function holdForChange(tx: Tx, accountId: string, mayTakeAdmin: boolean): Promise<AccountRow | Refused> {
  const others = mayTakeAdmin ? await hasOtherAdmin(tx, accountId) : true;
  const account = await lockAccount(tx, accountId);
  if (account === null) return refused('no_such_account');
  return account.role === 'admin' && !others ? refused('last_admin') : account;
}

/** The cursor of a page of accounts is the last name on it, in lower case. */
const cursor = pageCursor(z.string());

export function accountHandlers({ db }: PeopleServices) {
  return {
    listAccounts: plain(({ query }) =>
      paged(cursor, { ...query, list: 'account changes' }, async ({ before, limit }) => {
        const read = await listAccountDetails(db, { after: before, limit: limit + 1, idleMs: SESSION_IDLE_MS });
        const { rows, next } = cutPage(read, limit, ({ name }) => name.toLowerCase());
        return { accounts: rows.map(accountDetail), next };
      }),
    ),
    getAccount: plain(async ({ params }) => shownAccount(db, params.account_id)),
    getAccountName: plain(async ({ params }) => {
      const account = await findAccount(db, params.account_id);
      return account === null ? refused('no_such_account') : accepted({ name: account.name });
    }),
    createAccount: plain(async (request) =>
      inTransaction(db, async (tx) => {
        const { name, role } = request.body;
        const account = await insertAccount(tx, { accountId: randomUUID(), name, role, passwordHash: null });
        if (account === null) return refused('account_exists', `The name ${name} is taken`);
        await noteHand(tx, account.accountId, { act: 'made', by: request.actor });
        const invitation = await grantCode(tx, account.accountId, request.now);
        await auditAccount(tx, request, {
          accountId: account.accountId,
          action: 'account.create',
          detail: { name, role, invited: true },
        });
        const made = await shownAccount(tx, account.accountId);
        return made.ok ? accepted({ ...made.data, invitation }) : made;
      }),
    ),
    listAccountSessions: plain(async ({ params }) => {
      const found = await shownAccount(db, params.account_id);
      if (!found.ok) return found;
      return accepted({
        sessions: (await listSessions(db, params.account_id, SESSION_IDLE_MS)).map((row) => sessionView(row, null)),
      });
    }),
    endAccountSessions: inTx(async (request, tx) => {
      const account = await holdForChange(tx, request.params.account_id, false);
      if ('ok' in account) return account;
      const ended = await endSessions(tx, account.accountId, 'all');
      await auditAccount(tx, request, {
        accountId: account.accountId,
        action: 'session.end',
        detail: { name: account.name, ended },
      });
      return accepted({ ended });
    }),
  } satisfies Partial<Handlers>;
}

type OnAccount = Acting & { readonly params: { readonly account_id: string } };

async function change(
  request: OnAccount & {
    readonly body: { readonly role?: AccountRole | undefined; readonly disabled?: boolean | undefined };
  },
  tx: Tx,
): Promise<Outcome<{ account: AccountDetail }>> {
  const { params, body } = request;
  const accountId = params.account_id;
  const account = await holdForChange(tx, accountId, body.role === 'member' || body.disabled === true);
  if ('ok' in account) return account;
  const { role = account.role, disabled = account.disabledAt !== null } = body;
  if (account.federated && role !== account.role)
    return refused('account_is_federated', 'This account comes from an identity provider: change its groups there');
  await updateAccount(tx, accountId, { role, disabled });
  for (const act of changesOf(account, { role, disabled })) await auditAccount(tx, request, { ...act, accountId });
  if (disabled) await endAccess(tx, accountId);
  await announceAccount(tx, accountId);
  return shownAccount(tx, accountId);
}

/** Ends everything that acts as a person: sessions, API keys and links of messengers. */
async function endAccess(tx: Tx, accountId: string): Promise<void> {
  await endSessions(tx, accountId, 'all');
  await deleteAccountKeys(tx, accountId, 'all');
  await unlinkAccount(tx, accountId);
}

function changesOf(
  { name, role, disabledAt }: AccountRow,
  after: { readonly role: AccountRole; readonly disabled: boolean },
): readonly { readonly action: string; readonly detail: unknown }[] {
  const acts = [];
  if (after.role !== role) acts.push({ action: 'account.role', detail: { name, from: role, to: after.role } });
  if (after.disabled !== (disabledAt !== null))
    acts.push({ action: after.disabled ? 'account.disable' : 'account.enable', detail: { name } });
  return acts;
}

async function ban(
  request: OnAccount & { readonly body: { readonly reason: string; readonly expires_at?: string | undefined } },
  tx: Tx,
): Promise<Outcome<{ account: AccountDetail }>> {
  const accountId = request.params.account_id;
  const { reason, expires_at: end } = request.body;
  const account = await holdForChange(tx, accountId, true);
  if ('ok' in account) return account;
  const expiresAt = end === undefined ? null : new Date(end);
  if (!(await insertAccountBan(tx, { accountId, reason, expiresAt }, request.actor)))
    return refused('expiry_in_the_past', 'expires_at is in the past: write a later time, or leave it out');
  await auditAccount(tx, request, {
    accountId,
    action: 'account.ban',
    detail: { name: account.name, reason, expires_at: end ?? null },
  });
  await announceAccount(tx, accountId);
  return shownAccount(tx, accountId);
}

export function accountChangeHandlers({ db }: PeopleServices) {
  return {
    changeAccount: inTx(change),
    resetPassword: plain(async (request) =>
      inTransaction(db, async (tx) => {
        const account = await holdForChange(tx, request.params.account_id, false);
        if ('ok' in account) return account;
        if (account.federated) return refused('account_is_federated');
        await updateAccount(tx, account.accountId, { passwordHash: null });
        await endAccess(tx, account.accountId);
        await noteHand(tx, account.accountId, { act: 'reset', by: request.actor });
        const reset = await grantCode(tx, account.accountId, request.now);
        await auditAccount(tx, request, {
          accountId: account.accountId,
          action: 'account.reset',
          detail: { name: account.name },
        });
        const after = await shownAccount(tx, account.accountId);
        return after.ok ? accepted({ ...after.data, reset }) : after;
      }),
    ),
    banAccount: inTx(ban),
    liftAccountBan: inTx(async (request, tx) => {
      const account = await holdForChange(tx, request.params.account_id, false);
      if ('ok' in account) return account;
      const reason = request.query.reason ?? null;
      if (await liftAccountBanRow(tx, { accountId: account.accountId, reason }, request.actor)) {
        await auditAccount(tx, request, {
          accountId: account.accountId,
          action: 'account.unban',
          detail: { name: account.name, reason },
        });
      }
      return shownAccount(tx, account.accountId);
    }),
  } satisfies Partial<Handlers>;
}
