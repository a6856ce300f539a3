import { randomUUID } from 'node:crypto';
import {
  cutPage,
  endSessions,
  insertAccount,
  inTransaction,
  listAccountDetails,
  listSessions,
  noteHand,
} from '@hamlet/store';
import { SESSION_IDLE_MS } from '../http/session-cookie.ts';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { pageCursor } from '../http/page-cursor.ts';
import { z } from 'zod';
import { accountDetail, sessionView } from './account-view.ts';
import type { PeopleServices } from './start-people.ts';
import { grantCode, holdForChange, shownAccount } from './held-account.ts';
import { auditAccount } from '../auth/account-actor.ts';

/** The cursor of a page of accounts is its last name, in lower case. */
const cursor = pageCursor(z.string());
const QUESTION = 'accounts';

export function accountHandlers({ db }: PeopleServices) {
  return {
    listAccounts: plain(async ({ query: { cursor: from, limit } }) => {
      const after = cursor.read(from, QUESTION);
      if (after === undefined) return refused('cursor_invalid');
      const read = await listAccountDetails(db, { after, limit: limit + 1, idleMs: SESSION_IDLE_MS });
      const { rows, next } = cutPage(read, limit, ({ name }) => cursor.write(QUESTION, name.toLowerCase()));
      return accepted({ accounts: rows.map(accountDetail), next_cursor: next });
    }),
    getAccount: plain(async ({ params }) => shownAccount(db, params.account_id)),
    createAccount: plain(async (request) =>
      inTransaction(db, async (tx) => {
        const { name, role } = request.body;
        const account = await insertAccount(tx, { accountId: randomUUID(), name, role, passwordHash: null });
        if (account === null) return refused('account_exists', `There is an account ${name}`);
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
