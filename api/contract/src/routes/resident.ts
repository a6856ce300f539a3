import { z } from 'zod';
import { BARS, defineRoute } from '../route.ts';
import { BoardHint } from '../board/post.ts';
import { RunHint } from '../run.ts';
import { Wake } from '../world/wake.ts';
import { AgentId, AgentParams, JsonObject, LandmarkId, SeqQuery, Time } from './scalars.ts';
import { Limits } from './agents.ts';

export const AgentTokenAnswer = z.strictObject({
  access_token: z.string(),
  expires_at: Time,
  agent_id: AgentId,
  uid: z.string(),
  cycle: z.int().min(0),
});
export type AgentTokenAnswer = z.infer<typeof AgentTokenAnswer>;

export const exchangeAgentToken = defineRoute({
  name: 'exchangeAgentToken',
  summary: "Trade the pod's projected service account token (as bearer) for a five-minute agent token",
  tag: 'resident',
  method: 'POST',
  path: '/auth/agent-token',
  placement: 'versioned',
  audiences: ['agents'],
  permission: 'anyone',
  idempotency: 'natural',
  answer: { kind: 'json', schema: AgentTokenAnswer },
  reasons: ['unauthenticated', 'token_review_refused', 'token_not_from_pod', 'stale_cycle', ...BARS],
});

/** What a resident needs to know of itself to run. */
export const AgentConfig = z.strictObject({
  agent_id: AgentId,
  display_name: z.string(),
  persona: z.strictObject({ identity: z.string(), personality: z.string(), instructions: z.string() }),
  loop_every_ms: z.int().positive(),
  runtime: z.strictObject({ name: z.string(), config: JsonObject }),
  repository: z.strictObject({ url: z.string(), branch: z.string() }).nullable(),
  home: LandmarkId.nullable(),
  tier: z.string().nullable(),
  limits: Limits.nullable(),
  model: z.strictObject({ provider: z.string(), name: z.string() }).nullable(),
  seed: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .meta({ description: 'Seeds the deterministic brain; the same for every life of the agent' }),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

/** How long an agent's pod is paid for. */
export const PaidTime = z.strictObject({
  paid_until: Time.nullable().meta({
    description: 'The end of what is paid for, also when it is past; null where nothing has to be paid',
  }),
  now: Time.meta({ description: 'The time of the village' }),
});
export type PaidTime = z.infer<typeof PaidTime>;

export const getPaidTime = defineRoute({
  name: 'getPaidTime',
  summary: "How long the agent's pod is paid for: its resident ends by itself when nobody else ends it",
  tag: 'resident',
  method: 'GET',
  path: '/agents/{agent_id}/paid-time',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:self',
  idempotency: 'read',
  params: AgentParams,
  answer: { kind: 'json', schema: PaidTime },
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});

export const getAgentConfig = defineRoute({
  name: 'getAgentConfig',
  summary: "The agent's own configuration, for its resident",
  tag: 'resident',
  method: 'GET',
  path: '/agents/{agent_id}/config',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:self',
  idempotency: 'read',
  params: AgentParams,
  answer: { kind: 'json', schema: AgentConfig },
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});

export const openWakes = defineRoute({
  name: 'openWakes',
  summary: "The agent's wake events as a stream; while it is open the agent is connected",
  tag: 'resident',
  method: 'GET',
  path: '/agents/{agent_id}/wakes',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:self',
  idempotency: 'read',
  params: AgentParams,
  query: z.strictObject({
    after: SeqQuery.optional().meta({ description: 'The seq of the last wake seen; without it only new ones come' }),
  }),
  answer: {
    kind: 'sse',
    events: { wake: Wake, run: RunHint, board: BoardHint, cycle: z.strictObject({ cycle: z.int().min(0) }) },
  },
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});

/** One turn of a resident's loop as it was lived. Text inside is the resident's own. */
export const Turn = z.strictObject({
  turn_id: z.uuid(),
  cycle: z.int().min(0),
  trigger: z.enum(['tick', 'wake']),
  wake: Wake.optional(),
  perceived: JsonObject,
  decided: z.looseObject({ why: z.string() }),
  acted: JsonObject,
  reflected: JsonObject,
});
export type Turn = z.infer<typeof Turn>;

export const recordTurn = defineRoute({
  name: 'recordTurn',
  summary: 'Keep one turn of the loop: perceived, decided and why, acted, reflected',
  tag: 'resident',
  method: 'POST',
  path: '/agents/{agent_id}/turns',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:self',
  idempotency: 'key',
  params: AgentParams,
  body: Turn,
  status: 201,
  answer: { kind: 'json', schema: z.strictObject({ turn_id: z.uuid() }) },
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
});

export const TURNS_PAGE_MAX = 100;

export const listTurns = defineRoute({
  name: 'listTurns',
  summary: 'What an agent did, newest turn first',
  tag: 'agents',
  method: 'GET',
  path: '/agents/{agent_id}/turns',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'turns:read',
  idempotency: 'read',
  params: AgentParams,
  query: z.strictObject({
    cursor: z.string().max(256).optional(),
    limit: z.coerce.number().int().min(1).max(TURNS_PAGE_MAX).default(20),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({
      turns: z.array(Turn.extend({ agent_id: AgentId, recorded_at: Time })),
      next_cursor: z.string().nullable(),
    }),
  },
  reasons: ['no_such_agent', 'cursor_invalid'],
});
