import { z } from 'zod';
import { faultIn, ModelFault } from '../../chat/model-error.ts';
import { jsonOf, providerFetch, type AdapterKit } from '../../transport/provider-exchange.ts';
import { scrubber } from '../../transport/scrub.ts';
import type { ServerAnswer } from '../../transport/server-answer.ts';

export interface OAuthServer {
  readonly tokenUrl: string;
  readonly clientId: string;
}

export interface OAuthTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The account that the subscription belongs to. */
  readonly accountId: string;
  /** Expiry of the access token in milliseconds since 1970; null if the server does not say. */
  readonly expiresAtMs: number | null;
}

const MESSAGE_CHARS_MAX = 600;
const SIGN_IN = 'sign in to the subscription again';

const Granted = z.object({
  access_token: z.string().min(1).max(8_000),
  refresh_token: z.string().min(1).max(8_000).optional(),
  id_token: z.string().optional(),
  expires_in: z.number().positive().optional(),
});

function postForm(kit: AdapterKit, url: string, form: Readonly<Record<string, string>>): Promise<ServerAnswer> {
  return providerFetch(kit, false)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    redirect: 'manual',
    // Callers share a renewal, so no caller may cancel it; only the kit's timeout ends it.
    signal: new AbortController().signal,
  });
}

function endOf({ expires_in: seconds }: z.infer<typeof Granted>, { ports }: AdapterKit): number | null {
  return seconds === undefined ? null : ports.nowMs() + seconds * 1_000;
}

const Claims = z.object({ 'https://api.openai.com/auth': z.object({ chatgpt_account_id: z.string().min(1) }) });

/** The account in the claims of a token. The token comes directly from the server, so its signature needs no check. */
function accountIn(token: string | undefined): string | null {
  const payload = token?.split('.')[1];
  if (payload === undefined) return null;
  try {
    const claims = Claims.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    return claims.data?.['https://api.openai.com/auth'].chatgpt_account_id ?? null;
  } catch {
    return null;
  }
}

/** The authorization code of a sign-in, with its PKCE verifier. */
export interface GrantedCode {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

async function exchange(
  { code, verifier, redirectUri }: GrantedCode,
  { tokenUrl, clientId }: OAuthServer,
  kit: AdapterKit,
): Promise<OAuthTokens> {
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
  const granted = Granted.safeParse(await jsonOf(await postForm(kit, tokenUrl, { ...form, client_id: clientId })));
  if (!granted.success || granted.data.refresh_token === undefined)
    throw new ModelFault('auth', `the provider issued no tokens: ${SIGN_IN}`);
  const { access_token: accessToken, refresh_token: refreshToken, id_token } = granted.data;
  const accountId = accountIn(id_token) ?? accountIn(accessToken);
  if (accountId === null)
    throw new ModelFault('auth', 'the tokens name no account with a subscription: use another one');
  return { accessToken, refreshToken, accountId, expiresAtMs: endOf(granted.data, kit) };
}

export type SignedIn =
  | { readonly ok: true; readonly tokens: OAuthTokens }
  | { readonly ok: false; readonly message: string };

/** Exchanges the code of a sign-in for tokens. The message of a failure has neither code nor token. */
export async function exchangeCode(grant: GrantedCode, server: OAuthServer, kit: AdapterKit): Promise<SignedIn> {
  try {
    return { ok: true, tokens: await exchange(grant, server, kit) };
  } catch (thrown) {
    const fault = faultIn(thrown);
    if (fault === null) throw thrown;
    return { ok: false, message: scrubber([grant.code, grant.verifier])(fault.message).slice(0, MESSAGE_CHARS_MAX) };
  }
}

/** Renews tokens by the refresh grant. The server accepts each refresh token once. Throws a `ModelFault`. */
export async function refreshTokens(
  old: OAuthTokens,
  { tokenUrl, clientId }: OAuthServer,
  kit: AdapterKit,
): Promise<OAuthTokens> {
  const form = { grant_type: 'refresh_token', refresh_token: old.refreshToken, client_id: clientId };
  const response = await postForm(kit, tokenUrl, form).catch((thrown: unknown) => {
    const code = faultIn(thrown)?.code;
    if (code === 'bad_request' || code === 'auth')
      throw new ModelFault('auth', `the provider no longer accepts the refresh token: ${SIGN_IN}`);
    throw thrown;
  });
  const renewed = Granted.safeParse(await jsonOf(response));
  if (!renewed.success) throw new ModelFault('auth', `the provider did not renew the token: ${SIGN_IN}`);
  const { access_token: accessToken, refresh_token: refreshToken = old.refreshToken } = renewed.data;
  return { ...old, accessToken, refreshToken, expiresAtMs: endOf(renewed.data, kit) };
}

/** Revokes the refresh token, and with it the sign-in (RFC 7009). False if the server did not confirm it. */
export async function revokeTokens(
  { refreshToken }: OAuthTokens,
  { revokeUrl, clientId }: { readonly revokeUrl: string; readonly clientId: string },
  kit: AdapterKit,
): Promise<boolean> {
  const form = { token: refreshToken, token_type_hint: 'refresh_token', client_id: clientId };
  try {
    const { body } = await postForm(kit, revokeUrl, form);
    // Reading the answer frees the connection.
    for await (const _ of body ?? []) continue;
    return true;
  } catch (thrown) {
    if (faultIn(thrown) === null) throw thrown;
    return false;
  }
}
