import type { EntitlementView } from '@hamlet/contract';

/** A tier of the API for tests. */
export function tierView(change: Partial<EntitlementView> = {}): EntitlementView {
  return {
    name: 'tier-1',
    rank: 1,
    min_balance: '10',
    limits: {
      requests_per_minute: 300,
      concurrent_tools: 2,
      concurrent_model_requests: 6,
      web_searches_per_hour: 40,
      web_requests_per_hour: 900,
      browser_calls_per_hour: 200,
      tokens_per_hour: 100_000,
      models: ['small', 'large'],
    },
    compute: {
      cpu: '500m',
      memory: '512Mi',
      gpu: { mode: 'None', resource_name: null, count: 0, claim_template_name: null },
      priority_class_name: null,
    },
    price: { per_hour: '0.05', per_thousand_tokens: '0.002' },
    seats: null,
    agents: 1,
    conditions: [],
    etag: '"1"',
    ...change,
  };
}
