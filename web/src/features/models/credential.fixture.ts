import type { ModelCredential } from '@hamlet/contract';

/** A connected provider of Ada, as the API returns it. */
export function credentialOf(name: string, provider: ModelCredential['provider']): ModelCredential {
  return {
    name,
    agent_id: 'ada',
    key_id: 'village-1',
    fingerprint: null,
    created_at: '2026-11-23T12:00:00Z',
    created_by: 'account mia',
    provider,
    last_test: null,
    tested_models: [],
    used_by: { agents: [], total: 0 },
  };
}
