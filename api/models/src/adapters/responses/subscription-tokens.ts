import { z } from 'zod';
import { faultIn, ModelFault } from '../../chat/model-error.ts';
import { jsonOf, providerFetch } from '../../transport/provider-exchange.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';

/** The tokens of one sign-in. */
export interface OAuthTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The account that the subscription belongs to. */
  readonly accountId: string;
}

/** The store of the tokens of a sign-in. It encrypts them; this package only passes them on. */
export interface OAuthTokenStore {
  load(): Promise<OAuthTokens | null>;
  /** Replaces the tokens in one step: the provider accepts each refresh token only once. */
  save(tokens: OAuthTokens): Promise<void>;
}

/** Gives the adapter its credential. */
export interface SubscriptionTokens {
  /** The tokens in use. Fails with `auth` if no person has signed in. */
  current(): Promise<OAuthTokens>;
  /** Replaces refused tokens. Callers that come during a refresh share its result. */
  renew(refused: OAuthTokens, signal: AbortSignal): Promise<OAuthTokens>;
}

export interface OAuthServer {
  /** The token endpoint of the provider. */
  readonly tokenUrl: string;
  readonly clientId: string;
}

const Renewed = z.object({ access_token: z.string().min(1), refresh_token: z.string().min(1).optional() });
const SIGN_IN = 'sign in to the subscription again';

/** The tokens of a store, renewed by the refresh grant of OAuth. New tokens are saved before they are used. */
export function createSubscriptionTokens(
  store: OAuthTokenStore,
  server: OAuthServer,
  kit: AdapterKit,
): SubscriptionTokens {
  let renewal: Promise<OAuthTokens> | null = null;

  async function load(): Promise<OAuthTokens> {
    const tokens = await store.load();
    if (tokens === null) throw new ModelFault('auth', `the subscription has no tokens: ${SIGN_IN}`);
    return tokens;
  }

  async function refresh(old: OAuthTokens): Promise<OAuthTokens> {
    const form = { grant_type: 'refresh_token', refresh_token: old.refreshToken, client_id: server.clientId };
    const response = await providerFetch(kit, false)(server.tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      redirect: 'manual',
      // Callers share a renewal, so that none may cancel it.
      signal: new AbortController().signal,
    });
    const renewed = Renewed.safeParse(await jsonOf(response));
    if (!renewed.success) throw new ModelFault('auth', `the provider renewed no token: ${SIGN_IN}`);
    const { access_token: accessToken, refresh_token: refreshToken = old.refreshToken } = renewed.data;
    const tokens = { ...old, accessToken, refreshToken };
    await store.save(tokens);
    return tokens;
  }

  /** Another process may have renewed the tokens: only refused tokens are replaced. */
  async function renewOnce(refused: OAuthTokens): Promise<OAuthTokens> {
    const now = await load();
    if (now.accessToken !== refused.accessToken) return now;
    return refresh(now).catch((thrown: unknown) => {
      const code = faultIn(thrown)?.code;
      if (code === 'bad_request' || code === 'auth')
        throw new ModelFault('auth', `the provider accepts the refresh token no longer: ${SIGN_IN}`);
      throw thrown;
    });
  }

  return {
    current: load,
    renew: async (refused, signal) => {
      // The renewal is shared, so one caller that leaves must not cancel it.
      renewal ??= renewOnce(refused).finally(() => {
        renewal = null;
      });
      const tokens = await renewal;
      signal.throwIfAborted();
      return tokens;
    },
  };
}
