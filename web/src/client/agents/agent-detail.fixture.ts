import { type AgentDetail, goodStanding } from '@hamlet/contract';

/** An agent as the API returns it, named after its id. `change` overrides fields. */
export function agentDetail(id: string, change: Partial<AgentDetail> = {}): AgentDetail {
  const { agent_id: _id, ...standing } = goodStanding(id);
  return {
    agent_id: id,
    display_name: `${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    position: { x: 3, y: 4 },
    moving_to: null,
    home: 'lodge',
    zone_id: null,
    landmark_id: null,
    activity: 'idle',
    speech: null,
    inventory: [],
    status: { online: true, last_seen: null, health: 'healthy' },
    power: 'Awake',
    persona: { identity: '', personality: '', instructions: '' },
    entitlement: { tier: 'tier-0', policy: 'ByBalance', pinned_to: null, limits: null, price: null },
    tier: 'tier-0',
    standing,
    balance: '5',
    node: 'sparky1',
    pod: `${id}-0`,
    cycle: 3,
    conditions: [],
    why: { ready: true, reason: 'Ready', message: '' },
    mind: null,
    uid: `uid-${id}`,
    created_at: '2026-11-22T10:00:00.000Z',
    ...change,
  };
}
