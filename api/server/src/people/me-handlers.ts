import { endSessions, findAccount, inTransaction, listSessions } from '@hamlet/store';
import { hashOf } from '../auth/secrets.ts';
import { SESSION_IDLE_MS, sessionOf } from '../http/session-cookie.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { accountOf, accountView, sessionView } from './account-view.ts';
import { auditAccount } from '../auth/account-actor.ts';
import { renameAccount } from './rename-account.ts';
import { changeOwnPassword } from './sign-in.ts';
import type { PeopleServices } from './start-people.ts';

export function meHandlers({ db, people }: PeopleServices) {
  return {
    getMe: plain(async ({ actor, now }) => {
      if (actor.role !== 'member' && actor.role !== 'admin') return refused('unauthenticated');
      const account = actor.accountId === null ? null : await findAccount(db, actor.accountId);
      // A token of the chart has no account. The API shows it as one, so that a tool can find out its identity.
      return accepted({
        account:
          account === null
            ? { account_id: actor.id, name: actor.name, role: actor.role, created_at: now.toISOString() }
            : accountView(account),
      });
    }),
    renameMe: plain(async (request) => renameAccount(db, request)),
    changePassword: plain(async (request) => {
      const accountId = accountOf(request.actor);
      if (accountId === null) return refused('session_needed');
      return changeOwnPassword(
        { db, ...people },
        { accountId, current: request.body.current_password, wanted: request.body.new_password },
        request,
      );
    }),
    listMySessions: plain(async ({ actor, headers }) => {
      const accountId = accountOf(actor);
      if (accountId === null) return refused('session_needed');
      const current = sessionOf(headers.cookie);
      const rows = await listSessions(db, accountId, SESSION_IDLE_MS);
      return accepted({ sessions: rows.map((row) => sessionView(row, current === null ? null : hashOf(current))) });
    }),
    endMySession: plain(async (request) => {
      const accountId = accountOf(request.actor);
      if (accountId === null) return refused('session_needed');
      const sessionId = request.params.session_id;
      return inTransaction(db, async (tx) => {
        const ended = await endSessions(tx, accountId, { sessionId });
        if (ended === 0) return refused('no_such_session');
        await auditAccount(tx, request, { accountId, action: 'session.end', detail: { session_id: sessionId } });
        return accepted({ ended });
      });
    }),
    endMyOtherSessions: plain(async (request) => {
      const accountId = accountOf(request.actor);
      const current = sessionOf(request.headers.cookie);
      if (accountId === null || current === null) return refused('session_needed');
      return inTransaction(db, async (tx) => {
        const ended = await endSessions(tx, accountId, { butIdHash: hashOf(current) });
        if (ended > 0) await auditAccount(tx, request, { accountId, action: 'session.end', detail: { ended } });
        return accepted({ ended });
      });
    }),
  } satisfies Partial<Handlers>;
}
