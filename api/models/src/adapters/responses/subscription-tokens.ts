import { faultIn, ModelFault } from '../../chat/model-error.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import { refreshTokens, type OAuthServer, type OAuthTokens } from './oauth-requests.ts';

/** The store of a sign-in's tokens, which encrypts them. */
export interface OAuthTokenStore {
  load(): Promise<OAuthTokens | null>;
  /**
   * Calls `next` with the stored tokens under a lock for all processes, and stores the tokens that it returns, because
   * the provider accepts each refresh token only once. Does not store unchanged tokens.
   */
  replace(next: (stored: OAuthTokens) => Promise<OAuthTokens>): Promise<OAuthTokens | null>;
}

export interface SubscriptionTokens {
  /** The tokens in use, renewed shortly before they expire. Fails with `auth` without a sign-in. */
  current(): Promise<OAuthTokens>;
  /** Replaces refused tokens. Concurrent callers share one refresh. */
  renew(refused: OAuthTokens, signal: AbortSignal): Promise<OAuthTokens>;
}

/** Tokens that expire within this time in milliseconds are renewed before use. */
const EARLY_MS = 5 * 60_000;
const NO_TOKENS = 'the subscription has no tokens: sign in to the subscription again';

/** Renews the tokens of a store by OAuth's refresh grant, and saves new tokens before using them. */
export function createSubscriptionTokens(
  store: OAuthTokenStore,
  server: OAuthServer,
  kit: AdapterKit,
): SubscriptionTokens {
  let renewal: Promise<OAuthTokens> | null = null;

  function held(tokens: OAuthTokens | null): OAuthTokens {
    if (tokens === null) throw new ModelFault('auth', NO_TOKENS);
    return tokens;
  }

  /** Replaces only the tokens that this process has seen, because another one may have renewed them. */
  function renewOnce(old: OAuthTokens): Promise<OAuthTokens> {
    renewal ??= store
      .replace(async (now) => (now.accessToken === old.accessToken ? refreshTokens(now, server, kit) : now))
      .then(held)
      .finally(() => {
        renewal = null;
      });
    return renewal;
  }

  return {
    current: async () => {
      const tokens = held(await store.load());
      const leftMs = (tokens.expiresAtMs ?? Infinity) - kit.ports.nowMs();
      if (leftMs > EARLY_MS) return tokens;
      // Valid tokens remain in use while the authorization server is down.
      return renewOnce(tokens).catch((thrown: unknown) => {
        if (leftMs > 0 && faultIn(thrown)?.code !== 'auth') return tokens;
        throw thrown;
      });
    },
    renew: async (refused, signal) => {
      // The renewal is shared, so a caller that cancels must not end it.
      const tokens = await renewOnce(refused);
      signal.throwIfAborted();
      return tokens;
    },
  };
}
