import { API_VERSION } from '@hamlet/contract';

type Given = Readonly<{
  models: readonly string[];
  cpu: string;
  memory: string;
  /** Includes tokens that other agents use when they talk to an agent of the tier. */
  tokensPerHour?: number;
  price?: { readonly perThousandTokens: string };
}>;

/** The manifest of a tier for the agents of one test, which no balance opens. */
export const ownTier = (name: string, { models, cpu, memory, tokensPerHour = 1_000_000, price }: Given): object => ({
  apiVersion: API_VERSION,
  kind: 'Entitlement',
  metadata: { name },
  spec: {
    rank: 0,
    minBalance: '1000000',
    limits: { requestsPerMinute: 600, concurrentTools: 2, tokensPerHour, models },
    compute: { resources: { cpu, memory }, priorityClassName: 'hamlet-tier-0' },
    ...(price === undefined ? {} : { price }),
  },
});
