/** Small worlds for tests: one street with a few landmarks, agents and items where a test wants them. */
import type { AgentConfig, AgentDetail, AgentView, Landmark, Run, Wake, WorldView } from '@hamlet/contract';

export const AT = {
  home: { x: 2, y: 2 },
  cafe: { x: 20, y: 2 },
  market: { x: 40, y: 2 },
  square: { x: 60, y: 2 },
  library: { x: 80, y: 2 },
} as const;

function aLandmark(id: keyof typeof AT, affordances: Landmark['affordances']): Landmark {
  return { landmark_id: id, name: `the ${id}`, kind: id, position: AT[id], slots: [AT[id]], affordances };
}

export const LANDMARKS: readonly Landmark[] = [
  aLandmark('home', ['sleep']),
  aLandmark('cafe', ['coffee']),
  aLandmark('market', ['bread']),
  aLandmark('square', ['meet']),
  aLandmark('library', ['read']),
];

export function anAgent(agentId: string, changes: Partial<AgentView> = {}): AgentView {
  return {
    agent_id: agentId,
    display_name: agentId[0]?.toUpperCase() + agentId.slice(1),
    position: AT.square,
    moving_to: null,
    status: { online: true, last_seen: null, health: 'healthy' },
    power: 'Awake',
    activity: 'idle',
    speech: null,
    inventory: [],
    zone_id: null,
    landmark_id: null,
    home: 'home',
    ...changes,
  };
}

export function aWorld(changes: Partial<WorldView> = {}): WorldView {
  return {
    world_size: { width: 128, height: 128 },
    tick: 6_000,
    tick_ms: 100,
    epoch: 1,
    seq: 1,
    time: { day: 0, minute: 600, phase: 'day' },
    landmarks: [...LANDMARKS],
    zones: [],
    agents: [anAgent('ada')],
    items: [],
    ...changes,
  };
}

export function aConfig(changes: Partial<AgentConfig> = {}): AgentConfig {
  return {
    agent_id: 'ada',
    display_name: 'Ada',
    persona: { identity: 'A mathematician', personality: '', instructions: '', amended: '' },
    loop_every_ms: 30_000,
    runtime: { name: 'stub', named: true, config: {} },
    repository: { url: 'https://example.org/engine.git', branch: 'main' },
    mcp_servers: [],
    search: null,
    outside_agents: [],
    secrets: [],
    skills: [],
    home: 'home',
    tier: 'tier-0',
    limits: null,
    can_browse: true,
    model: null,
    seed: 7,
    ...changes,
  };
}

export function aStanding(changes: Partial<AgentDetail> = {}): AgentDetail {
  return {
    ...anAgent('ada'),
    persona: { identity: 'A mathematician', personality: '', instructions: '' },
    entitlement: { tier: 'tier-0', policy: 'ByBalance', pinned_to: null, limits: null, price: null },
    standing: {
      balance_tier: 'tier-0',
      quarantined: false,
      frozen: false,
      banned: false,
      killed: false,
      token_revoked: false,
      reason: null,
    },
    balance: '0',
    tier: 'tier-0',
    node: 'sparky1',
    pod: 'ada-1',
    cycle: 1,
    conditions: [],
    why: { ready: true, reason: 'Ready', message: '' },
    mind: null,
    uid: '00000000-0000-4000-8000-000000000000',
    created_at: '2026-01-01T00:00:00Z',
    ...changes,
  };
}

export function aWake(kind: Wake['kind'], detail: Wake['detail'] = {}, seq = 1): Wake {
  return { seq, tick: 6_000, kind, detail };
}

export const RUN_ID = '00000000-0000-4000-8000-000000000001';

export function aRun(prompt: string, changes: Partial<Run> = {}): Run {
  return {
    run_id: RUN_ID,
    agent_id: 'ada',
    kind: 'prompt',
    state: 'running',
    prompt,
    created_at: '2026-01-01T00:00:00Z',
    created_by: { role: 'admin', id: 'a' },
    schedule: null,
    attempt: 1,
    cycle: 1,
    started_at: null,
    ended_at: null,
    summary: null,
    error: null,
    cancel_requested_at: null,
    session_id: null,
    runtime: null,
    usage: { steps: 0, tokens: 0, cost: '0', witnessed: false },
    budgets: null,
    unsettled: [],
    ...changes,
  };
}

/** The limits of a tier with one model. */
export const LIMITS = {
  requests_per_minute: 120,
  concurrent_tools: 1,
  concurrent_model_requests: 2,
  web_searches_per_hour: 30,
  web_requests_per_hour: 600,
  browser_calls_per_hour: 120,
  tokens_per_hour: 20_000,
  models: ['small'],
};
