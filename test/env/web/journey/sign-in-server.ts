/** The provider of a subscription, on loopback. */
import type { WireAnswer, WireRequest, WireServer } from '@hamlet/models/testing';
import { RESPONSES_WIRE, startWireServer } from '@hamlet/models/testing';

export const WORDS = 'Good day from a subscription.';
const CODE = 'code-of-one-sign-in';
const ACCESS = 'access-0123456789abcdef';
const CLAIMS = { 'https://api.openai.com/auth': { chatgpt_account_id: 'account-1' } };
const ID_TOKEN = ['{}', JSON.stringify(CLAIMS), 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

/** The final address of a sign-in, with the state of its start. */
export function endOf(authorize: URL, outcome: Readonly<Record<string, string>>): string {
  const end = new URL(authorize.searchParams.get('redirect_uri') ?? '');
  const state = authorize.searchParams.get('state') ?? '';
  for (const [name, value] of Object.entries({ ...outcome, state })) end.searchParams.set(name, value);
  return end.href;
}

/** A provider that confirms every sign-in at once, and answers requests with its access token. */
function answer({ path, headers, body }: WireRequest): WireAnswer | null {
  const url = new URL(path, 'http://provider');
  if (url.pathname === '/authorize')
    return { status: 302, headers: { location: endOf(url, { code: CODE }) }, chunks: [] };
  if (url.pathname === '/token' && new URLSearchParams(String(body)).get('code') === CODE)
    return {
      headers: { 'content-type': 'application/json' },
      chunks: [
        JSON.stringify({
          access_token: ACCESS,
          refresh_token: 'refresh-0123456789abcdef',
          id_token: ID_TOKEN,
          expires_in: 36_000,
        }),
      ],
    };
  if (url.pathname === '/codex/responses' && headers['authorization'] === `Bearer ${ACCESS}`)
    return RESPONSES_WIRE.stream({ text: [WORDS] });
  return url.pathname === '/ended' ? { status: 404, chunks: ['{}'] } : null;
}

export function startSignInServer(): Promise<WireServer> {
  return startWireServer([], { otherwise: answer });
}

/** The variable with which an operator allows sign-ins at this server. */
export function signInVariables({ url }: WireServer): Readonly<Record<string, string>> {
  const settings = {
    clientId: 'app-1',
    authorizeUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    redirectUri: `${url}/ended`,
    baseUrl: `${url}/codex`,
  };
  return { HAMLET_SUBSCRIPTION: JSON.stringify(settings) };
}
