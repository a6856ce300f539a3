import { createSubscriptionTokens, revokeTokens } from '@hamlet/models';
import type { AdapterKit, ModelPorts, ModelsConfig, SubscriptionTokens } from '@hamlet/models';
import type { Connection } from '../connections/connection.ts';
import type { SubscriptionSettings } from '../models/subscription-settings.ts';
import { storedTokens, tokensOf, type TokenPorts } from './stored-tokens.ts';

/** Timeout of a request to the authorization server. Other requests wait for the row meanwhile, so it is shorter than theirs. */
const SIGN_IN_LIMIT_MS = 10_000;
const KEPT_MAX = 1_000;

interface SubscriptionParts extends TokenPorts {
  /** Null if no subscription may be used, not even a stored one. */
  readonly settings: SubscriptionSettings | null;
  readonly config: Pick<ModelsConfig, 'limits'>;
  readonly ports: ModelPorts;
}

export function createSubscriptions({ settings, config, ports, ...stores }: SubscriptionParts) {
  const kept = new Map<string, SubscriptionTokens>();
  const limits = { ...config.limits, firstByteMs: SIGN_IN_LIMIT_MS, totalMs: SIGN_IN_LIMIT_MS };
  const kit: AdapterKit = { ports, limits };
  return {
    settings,
    kit,
    tokens: (connection: Pick<Connection, 'name' | 'agentId'>) => {
      if (settings === null) return null;
      const id = JSON.stringify([connection.name, connection.agentId]);
      const before = kept.get(id);
      if (before !== undefined) return before;
      if (kept.size >= KEPT_MAX) kept.clear();
      const tokens = createSubscriptionTokens(storedTokens(stores, connection), settings, kit);
      kept.set(id, tokens);
      return tokens;
    },
    /** Revokes the sign-in in an unsealed text. False if the server did not confirm it or has no address for it. */
    revoke: async (text: string | null) => {
      const tokens = tokensOf(text);
      if (settings?.revokeUrl === undefined || tokens === null) return false;
      const { clientId, revokeUrl } = settings;
      return revokeTokens(tokens, { clientId, revokeUrl }, kit);
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;
