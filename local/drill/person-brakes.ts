import { randomBytes } from 'node:crypto';
import {
  changeAccount,
  createAccount,
  createClient,
  createMyKey,
  dataOf,
  getMe,
  listAccounts,
  listRuns,
  logIn,
  logOut,
  ProblemError,
  redeemCode,
  resetPassword,
  revokeMyKey,
  type Client,
} from '@hamlet/contract';
import type { Brake, Effect } from './measure.ts';

/**
 * The member whose sessions and keys drills end; a person would not choose this name. Between drills the account is
 * disabled.
 */
const NAME = 'drill-of-the-brakes';
const PAGES_MAX = 100;

/** Requests of one caller; the mark counts the accepted ones. */
function acceptedBy(name: string, request: () => Promise<{ readonly ok: boolean }>): Effect {
  let accepted = 0;
  return {
    name,
    look: async () => {
      if ((await request()).ok) accepted += 1;
      return String(accepted);
    },
  };
}

/** The account of an earlier drill. Throws if it is enabled or no member: then a person may use it. */
async function findAccount(admin: Client): Promise<string> {
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query: { limit: number; cursor?: string } = cursor === null ? { limit: 200 } : { limit: 200, cursor };
    const { accounts, next_cursor: next } = await dataOf(admin.call(listAccounts, { query }));
    const found = accounts.find(({ name }) => name === NAME);
    if (found !== undefined) {
      if (found.disabled_at === null || found.role !== 'member')
        throw new Error(
          `the account ${NAME} is in use. Fix: if a drill that was killed left it, disable it on the page People`,
        );
      return found.account_id;
    }
    if (next === null) break;
    cursor = next;
  }
  throw new Error(`the account ${NAME} exists, but no page of accounts lists it`);
}

/** The account of drills, created or enabled again, with a one-time code. */
async function openAccount(admin: Client): Promise<{ readonly accountId: string; readonly code: string }> {
  const made = await admin.call(createAccount, { body: { name: NAME, role: 'member' } });
  if (made.ok) return { accountId: made.data.account.account_id, code: made.data.invitation?.code ?? '' };
  if (made.problem.code !== 'account_exists') throw new ProblemError(made.problem);
  const accountId = await findAccount(admin);
  const params = { account_id: accountId };
  await dataOf(admin.call(changeAccount, { params, body: { disabled: false } }));
  return { accountId, code: (await dataOf(admin.call(resetPassword, { params }))).reset.code };
}

function cookieOf(response: Response): string {
  const cookie = response.headers.getSetCookie().find((each) => each.startsWith('__Host-hamlet_session='));
  if (cookie === undefined) throw new Error('the sign-in set no cookie');
  return cookie.split(';')[0] ?? '';
}

/** The brakes that end what a person or a program of a person does, and the way to remove what they need. */
export async function personBrakes(admin: Client, baseUrl: string) {
  const { accountId, code } = await openAccount(admin);
  const password = randomBytes(24).toString('base64url');
  const visitor = createClient({ baseUrl });
  await dataOf(visitor.call(redeemCode, { body: { code, password } }));

  async function signIn(): Promise<Client> {
    const signedIn = await visitor.call(logIn, { body: { name: NAME, password } });
    await dataOf(Promise.resolve(signedIn));
    return createClient({ baseUrl, cookie: cookieOf(signedIn.response) });
  }

  const signOut: Brake = {
    name: 'Sign-out of a person',
    arm: async () => {
      const person = await signIn();
      return {
        effects: [acceptedBy('accepted request', () => person.call(getMe, {}))],
        pull: () => dataOf(person.call(logOut, {})),
        release: async () => undefined,
      };
    },
  };
  const revokeKey: Brake = {
    name: 'Revoked API key',
    arm: async () => {
      const person = await signIn();
      const body = { name: randomBytes(8).toString('hex'), scopes: ['read' as const], days: 1 };
      const { key, token } = await dataOf(person.call(createMyKey, { body }));
      const program = createClient({ baseUrl, token });
      return {
        effects: [acceptedBy('accepted request', () => program.call(listRuns, { query: { limit: 1 } }))],
        pull: () => dataOf(person.call(revokeMyKey, { params: { key_id: key.key_id } })),
        release: () => dataOf(person.call(logOut, {})),
      };
    },
  };
  return {
    brakes: [signOut, revokeKey],
    remove: () => dataOf(admin.call(changeAccount, { params: { account_id: accountId }, body: { disabled: true } })),
  };
}
