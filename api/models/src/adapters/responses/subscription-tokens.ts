import { faultIn, ModelFault } from '../../chat/model-error.ts';
import type { AdapterKit } from '../../transport/provider-exchange.ts';
import { refreshTokens } from './oauth-requests.ts';
import type { OAuthServer, OAuthTokens } from './oauth-requests.ts';

/** The store of the tokens of a sign-in. It encrypts them; this package only passes them on. */
export interface OAuthTokenStore {
  load(): Promise<OAuthTokens | null>;
  /**
   * Calls `next` with the stored tokens while no other process may, and stores the tokens that it returns in the same
   * step: the provider accepts each refresh token only once. Tokens that `next` returns unchanged are not stored.
   */
  replace(next: (stored: OAuthTokens) => Promise<OAuthTokens>): Promise<OAuthTokens | null>;
}

export interface SubscriptionTokens {
  /** The tokens in use, renewed shortly before they end. Fails with `auth` if no person has signed in. */
  current(): Promise<OAuthTokens>;
  /** Replaces refused tokens. Callers that come during a refresh share its result. */
  renew(refused: OAuthTokens, signal: AbortSignal): Promise<OAuthTokens>;
}

/** Tokens that end within this time are renewed before they are used. */
const EARLY_MS = 5 * 60_000;
const NO_TOKENS = 'the subscription has no tokens: sign in to the subscription again';

/** The tokens of a store, renewed by the refresh grant of OAuth. New tokens are saved before they are used. */
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

  /** Another process may have renewed the tokens: only those that this one has seen are replaced. */
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
      // Tokens that are still valid serve while the authorization server cannot be asked.
      return renewOnce(tokens).catch((thrown: unknown) => {
        if (leftMs > 0 && faultIn(thrown)?.code !== 'auth') return tokens;
        throw thrown;
      });
    },
    renew: async (refused, signal) => {
      // The renewal is shared, so one caller that leaves must not cancel it.
      const tokens = await renewOnce(refused);
      signal.throwIfAborted();
      return tokens;
    },
  };
}
