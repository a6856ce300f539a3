import type { AskedAdmission } from '../model-admission.ts';

/** A free request to the model `small`, as the gateway asks for its admission. */
export const anAdmission = (agentId: string, changes: Partial<AskedAdmission> = {}): AskedAdmission => ({
  agentId,
  agentUid: `uid-${agentId}`,
  podUid: null,
  runId: null,
  tier: 'tier-0',
  model: 'small',
  provider: 'test',
  reservedTokens: 1,
  inFlightMax: 100,
  quota: 1_000,
  life: { limitS: 150 },
  proof: null,
  payment: { amount: 0n, lastsMs: 60_000, note: 'tokens of small', about: {} },
  ...changes,
});
