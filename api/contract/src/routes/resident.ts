import { z } from 'zod';
import { ToolClass } from '../kinds/tool-classes.ts';
import { BoardHint } from '../board/post.ts';
import { BARS, defineRoute, json } from '../http/route.ts';
import { HostPattern, MAX_EGRESS_RULES } from '../values/egress.ts';
import { RunHint } from '../values/run/run.ts';
import { AgentId, JsonObject, LandmarkId, NEXT_CURSOR, paging, SeqQuery, Time } from '../values/scalars.ts';
import { SkillFrom, SkillHash, SkillId } from '../capability/skill.ts';
import { Limits } from './agents.ts';

export const WAKE_KINDS = ['spoken_to', 'arrived', 'handed', 'item_seen', 'met'] as const;
/** Starts the agent's next turn early. `seq` is the number of the world event. */
export const Wake = z.strictObject({
  seq: z.int().min(1),
  tick: z.int().min(0),
  kind: z.enum(WAKE_KINDS),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type Wake = z.infer<typeof Wake>;

export const AgentTokenAnswer = z.strictObject({
  access_token: z.string(),
  expires_at: Time,
  agent_id: AgentId,
  uid: z.string(),
  cycle: z.int().min(0),
});
export type AgentTokenAnswer = z.infer<typeof AgentTokenAnswer>;

export const exchangeAgentToken = defineRoute('exchangeAgentToken POST /auth/agent-token', {
  summary: "Exchange the pod's projected service account token (as bearer) for a five-minute agent token",
  tag: 'resident',
  placement: 'versioned',
  audiences: ['agents'],
  permission: 'anyone',
  idempotency: 'natural',
  answer: json(AgentTokenAnswer),
  reasons: ['unauthenticated', 'token_review_refused', 'token_not_from_pod', 'stale_cycle', ...BARS],
});

export const AgentConfig = z.strictObject({
  agent_id: AgentId,
  display_name: z.string(),
  persona: z.strictObject({
    identity: z.string(),
    personality: z.string(),
    instructions: z.string(),
    amended: z.string().default('').describe('The layer that the agent has added to its personality itself'),
  }),
  loop_every_ms: z.int().positive(),
  runtime: z.strictObject({
    name: z.string().describe("Runtime of the Agent's spec; scripted if the spec names none"),
    named: z.boolean().describe('True if the spec names the runtime; otherwise the resident may choose one'),
    config: JsonObject,
  }),
  repository: z.strictObject({ url: z.string(), branch: z.string() }).nullable(),
  mcp_servers: z
    .array(
      z.strictObject({
        name: z.string(),
        url: z.string().nullable(),
        command: z.array(z.string()).nullable(),
        class: ToolClass.nullable().describe('Null: a person is asked before each call'),
        tools: z.array(z.string()).nullable().describe('Null: all'),
        call_timeout_ms: z.int().positive(),
      }),
    )
    .default([]),
  search: z
    .strictObject({
      kind: z.enum(['searxng', 'brave']),
      url: z.string(),
      secret: z.string().nullable().describe('Name of the secret; the broker replaces its placeholder with the key'),
    })
    .nullable()
    .default(null)
    .describe('Service of web_search; null if the agent does not have this tool'),
  outside_agents: z
    .array(
      z.strictObject({
        name: z.string(),
        url: z.string().describe('Address of its JSON-RPC interface'),
        secret: z.string().nullable().describe('Name of the secret with its token, which the broker sends'),
      }),
    )
    .default([])
    .describe('Agents of other systems that the tool call_agent calls; without one the agent does not have this tool'),
  secrets: z
    .array(z.strictObject({ host: HostPattern, name: z.string().max(253) }))
    .max(MAX_EGRESS_RULES)
    .default([])
    .describe('Names of secrets that the broker sends to a host instead of `hamlet-placeholder-NAME`'),
  skills: z
    .array(
      z.strictObject({
        name: SkillId,
        from: SkillFrom,
        sha256: SkillHash.nullable().describe('The only version that the agent may use; null allows any'),
      }),
    )
    .default([]),
  home: LandmarkId.nullable(),
  tier: z.string().nullable(),
  limits: Limits.nullable(),
  can_browse: z.boolean().default(true).describe('True if the tier has the memory that the tools of the browser need'),
  model: z
    .strictObject({
      provider: z.string().describe('Provider that is tried first'),
      name: z.string().describe('Name of the model in requests to the gateway'),
      scripted: z.boolean(),
      context_tokens: z
        .int()
        .positive()
        .nullable()
        .optional()
        .describe('Tokens of a prompt and its answer together; null if unknown'),
      tools: z.boolean().optional().describe('False if it cannot call tools'),
      json: z.boolean().optional().describe('False if it cannot write JSON for a schema'),
      reason: z.string().describe('Why the agent has this model, or why the tier forbids the chosen one'),
    })
    .nullable()
    .describe('Null if the tier allows no model that the village serves'),
  seed: z
    .int()
    .min(0)
    .max(0xffff_ffff)
    .describe('Seed of the deterministic brain; the same for every life of the agent'),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

export const PaidTime = z.strictObject({
  paid_until: Time.nullable().describe('End of the paid time, which may be past; null if the pod is free'),
  now: Time.describe('Present time of the village'),
});
export type PaidTime = z.infer<typeof PaidTime>;

export const ofResident = {
  tag: 'resident',
  permission: 'agent:self',
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle'],
} as const;

export const getPaidTime = defineRoute('getPaidTime GET /agents/{agent_id}/paid-time', {
  ...ofResident,
  summary: "End of the paid time of the agent's pod, when its resident ends by itself, even without the operator",
  answer: json(PaidTime),
});

export const getAgentConfig = defineRoute('getAgentConfig GET /agents/{agent_id}/config', {
  ...ofResident,
  summary: 'Configuration of the agent, for its resident',
  answer: json(AgentConfig),
});

export const openWakes = defineRoute('openWakes GET /agents/{agent_id}/wakes', {
  ...ofResident,
  summary: "Stream of the agent's wakes; the agent counts as connected while it is open",
  query: z.strictObject({
    after: SeqQuery.optional().describe('Seq of the last wake received; without it, only new ones follow'),
  }),
  answer: {
    kind: 'sse',
    events: { wake: Wake, run: RunHint, board: BoardHint, cycle: z.strictObject({ cycle: z.int().min(0) }) },
  },
});

/** The resident writes the texts. */
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

export const recordTurn = defineRoute('recordTurn POST /agents/{agent_id}/turns', {
  ...ofResident,
  summary: 'Record one turn of the loop: perceived, decided and why, acted, reflected',
  body: Turn,
  status: 201,
  answer: json(z.strictObject({ turn_id: z.uuid() })),
});

export const listTurns = defineRoute('listTurns GET /agents/{agent_id}/turns', {
  summary: 'Turns of an agent, newest first',
  tag: 'agents',
  permission: 'turns:read',
  query: z.strictObject({ ...paging() }),
  answer: json(
    z.strictObject({ turns: z.array(Turn.extend({ agent_id: AgentId, recorded_at: Time })), ...NEXT_CURSOR }),
  ),
  reasons: ['no_such_agent', 'cursor_invalid'],
});
