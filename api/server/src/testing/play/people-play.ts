import type { AccountDetail } from '@hamlet/contract';
import { testClient, type TestClient, dataOf } from '@hamlet/test/env/client';
import { BOOTSTRAP_CODE, clientOf } from '../test-village.ts';

export const PASSWORD = 'correct horse battery';

/** A signed-in person, with the session cookie. */
export interface SignedInPerson {
  readonly accountId: string;
  readonly cookie: string;
  readonly client: TestClient;
}

/** The cookie that an answer sets, in the form in which a browser sends it back; empty if the answer sets none. */
export function cookieOf(response: Response, name = '__Host-hamlet_session'): string {
  return (
    response.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith(`${name}=`))
      ?.split(';')[0] ?? ''
  );
}

export function personOf(url: string, accountId: string, cookie: string): SignedInPerson {
  return { accountId, cookie, client: testClient({ baseUrl: url, cookie }) };
}

/** Creates the first admin of a village, signed in. */
export async function firstAdmin(url: string, name = 'Grace'): Promise<SignedInPerson> {
  const made = await clientOf(url).raw.bootstrapAccount({ code: BOOTSTRAP_CODE, name, password: PASSWORD });
  return personOf(url, dataOf(made).account.account_id, cookieOf(made.response));
}

export async function signIn(url: string, name: string, password = PASSWORD): Promise<SignedInPerson> {
  const answer = await clientOf(url).raw.logIn({ name, password });
  return personOf(url, dataOf(answer).account.account_id, cookieOf(answer.response));
}

/** Invites a person, who sets a password with the one-time code and is then signed in. */
export async function invite(
  admin: SignedInPerson,
  url: string,
  wish: { readonly name: string; readonly role: 'member' | 'admin' },
): Promise<SignedInPerson & { readonly account: AccountDetail }> {
  const { account, invitation } = await admin.client.createAccount(wish);
  const answer = await clientOf(url).raw.redeemCode({ code: invitation?.code ?? '', password: PASSWORD });
  return { ...personOf(url, dataOf(answer).account.account_id, cookieOf(answer.response)), account };
}
