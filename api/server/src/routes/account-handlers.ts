import { bootstrap, logIn, logOut } from '../auth/accounts.ts';
import { sessionOf } from '../auth/session-cookie.ts';
import { findSession } from '@hamlet/store';
import { hashOf } from '../auth/secrets.ts';
import { SESSION_IDLE_MS } from '../auth/session-cookie.ts';
import type { Handlers } from '../http/handler.ts';
import { isPrivateConnection } from '../http/admission/origin.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Services } from './services.ts';

type Names = 'bootstrapAccount' | 'logIn' | 'logOut' | 'getMe';

/** Accounts and sessions of people. */
export function accountHandlers(services: Services): Pick<Handlers, Names> {
  const { db, bootstrapCodeFile: codeFile } = services;
  return {
    bootstrapAccount: {
      kind: 'plain',
      run: async ({ headers, body, now }) => (isPrivateConnection(headers) ? bootstrap({ db, codeFile }, body, now) : refused('tls_required')),
    },
    logIn: {
      kind: 'plain',
      run: async ({ headers, body, now }) => (isPrivateConnection(headers) ? logIn(db, body, now) : refused('tls_required')),
    },
    logOut: { kind: 'plain', run: async ({ headers }) => logOut(db, sessionOf(headers.cookie)) },
    getMe: {
      kind: 'plain',
      run: async ({ headers, actor, now }) => {
        const session = sessionOf(headers.cookie);
        const account = session === null ? null : await findSession(db, hashOf(session), SESSION_IDLE_MS);
        if (account !== null && headers.authorization === undefined) {
          return accepted({ account: { account_id: account.accountId, name: account.name, role: account.role, created_at: account.createdAt.toISOString() } });
        }
        // An API key of a person's role has no account behind it; it is shown as one so that tools can ask who they are.
        if (actor.role !== 'member' && actor.role !== 'admin') return refused('unauthenticated');
        return accepted({ account: { account_id: actor.id, name: actor.name, role: actor.role, created_at: now.toISOString() } });
      },
    },
  };
}
