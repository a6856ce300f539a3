import type { AgentTokenAnswer } from '@hamlet/contract';

/** A token is renewed so long before it ends: a request that starts with it must not outlive it. */
export const RENEW_BEFORE_MS = 60_000;

/** The bearer token of the agent. */
export interface TokenSource {
  /** The present token, renewed when it is about to end. */
  get(): Promise<string>;
  /** The api has refused the token: the next `get` gets a new one. */
  renew(): void;
}

/** A token given from outside; it cannot be renewed. */
export function fixedToken(token: string): TokenSource {
  return { get: async () => token, renew: () => {} };
}

/** Tokens by exchange. Requests that need one at the same moment share one exchange; a failed one is tried anew. */
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
