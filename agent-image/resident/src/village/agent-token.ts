import type { AgentTokenAnswer } from '@hamlet/contract';

/** Time before expiry at which a token is renewed, so that it does not expire during a request. */
export const RENEW_BEFORE_MS = 60_000;

export interface TokenSource {
  get(): Promise<string>;
  /** Called after the API has refused the token: the next `get` obtains a new one. */
  renew(): void;
}

export const fixedToken = (token: string): TokenSource => ({ get: async () => token, renew: () => {} });

/** Exchanges tokens. Concurrent requests share one exchange; a failed exchange is retried by the next request. */
export function exchangedToken(
  exchange: () => Promise<Pick<AgentTokenAnswer, 'access_token' | 'expires_at'>>,
  now: () => number,
): TokenSource {
  let current: Promise<{ token: string; renewAt: number }> | null = null;

  const trade = async () => {
    const { access_token, expires_at } = await exchange();
    return { token: access_token, renewAt: Date.parse(expires_at) - RENEW_BEFORE_MS };
  };

  return {
    get: async () => {
      const before = current;
      const held = before === null ? null : await before;
      if (held !== null && now() < held.renewAt) return held.token;
      if (current === before) current = null;
      current ??= trade().catch((error: unknown) => {
        current = null;
        throw error;
      });
      return (await current).token;
    },
    renew: () => {
      current = null;
    },
  };
}
