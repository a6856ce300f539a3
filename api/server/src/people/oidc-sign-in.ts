import { randomUUID } from 'node:crypto';
import type { AccountRole } from '@hamlet/contract';
import {
  findAccountByIdentity,
  insertAccount,
  inTransaction,
  keepOidcAttempt,
  takeOidcAttempt,
  updateAccount,
} from '@hamlet/store';
import type { AccountRow, Db, Tx } from '@hamlet/store';
import { refused, type Accepted, type Outcome, type Refused } from '../http/outcome.ts';
import { auditAccount } from '../auth/account-actor.ts';
import { openSession, refuseBarredAccount, type Arrival } from './sign-in.ts';
import { hashOf, newSecret } from '../auth/secrets.ts';
import { attemptCookie, attemptOf, endedAttemptCookie } from '../http/session-cookie.ts';
import type { IdentityProvider, VouchedPerson } from './identity-provider.ts';
import { roleOfGroups, safeReturnTo, type RoleGroups } from './oidc-settings.ts';

const ATTEMPT_LIFE_MS = 600_000;
const NAMES_TRIED = 20;

interface OidcPorts {
  readonly db: Db;
  readonly provider: IdentityProvider;
  readonly roles: RoleGroups;
  readonly name: string;
}

export function createOidcSignIn({ db, provider, roles, name }: OidcPorts) {
  return {
    name,
    begin: async (returnTo: string | undefined, now: Date): Promise<Accepted<string>> => {
      const { url, ...pending } = await provider.begin();
      const id = newSecret('');
      await keepOidcAttempt(db, hashOf(id), {
        ...pending,
        returnTo: safeReturnTo(returnTo),
        expiresAt: new Date(now.getTime() + ATTEMPT_LIFE_MS),
      });
      return { ok: true, data: url, cookies: [attemptCookie(id, ATTEMPT_LIFE_MS)] };
    },
    finish: async (query: URLSearchParams, arrival: Arrival): Promise<Outcome<string>> => {
      const id = attemptOf(arrival.headers.cookie);
      const attempt = id === null ? null : await takeOidcAttempt(db, hashOf(id));
      if (attempt === null) return refused('oidc_attempt_unknown');
      const person = await provider.finish(query, attempt);
      if (person === null) return refused('oidc_refused');
      const role = roleOfGroups(person.groups, roles);
      if (role === null) return refused('oidc_no_role');
      return inTransaction(db, async (tx): Promise<Outcome<string>> => {
        const account = await accountOf(tx, { person, role, arrival });
        if ('ok' in account) return account;
        const cookie = await openSession(tx, { account, by: 'oidc' }, arrival);
        return { ok: true, data: attempt.returnTo, cookies: [cookie, endedAttemptCookie()] };
      });
    },
  };
}

/** Created at the first sign-in. A local account of the same name stays separate. */
async function accountOf(
  tx: Tx,
  { person, role, arrival }: { readonly person: VouchedPerson; readonly role: AccountRole; readonly arrival: Arrival },
): Promise<AccountRow | Refused> {
  const acting = {
    actor: { role: 'system', id: `oidc ${person.issuer}` },
    requestId: arrival.requestId,
    traceparent: arrival.traceparent,
  };
  const found = await findAccountByIdentity(tx, person);
  if (found === null) {
    const made = await makeAccount(tx, person, role);
    await auditAccount(tx, acting, {
      accountId: made.accountId,
      action: 'account.create',
      detail: { name: made.name, role, subject: person.subject },
    });
    return made;
  }
  const barred = await refuseBarredAccount(tx, found);
  if (barred !== null) return barred;
  if (found.role === role) return found;
  await updateAccount(tx, found.accountId, { role });
  await auditAccount(tx, acting, {
    accountId: found.accountId,
    action: 'account.role',
    detail: { name: found.name, from: found.role, to: role },
  });
  return { ...found, role };
}

async function makeAccount(tx: Tx, { issuer, subject, name }: VouchedPerson, role: AccountRole): Promise<AccountRow> {
  for (let number = 1; number <= NAMES_TRIED; number += 1) {
    const account = await insertAccount(tx, {
      accountId: randomUUID(),
      name: number === 1 ? name : `${name} ${number}`,
      role,
      passwordHash: null,
      identity: { issuer, subject },
    });
    if (account !== null) return account;
    // The name is taken, or the same person has just created the account in another tab.
    const same = await findAccountByIdentity(tx, { issuer, subject });
    if (same !== null) return same;
  }
  throw new Error(`no account name is left for ${name}: all its variants are taken`);
}
