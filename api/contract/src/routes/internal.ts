import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { CapabilitySummary } from '../capability/capability.ts';
import { AgentId, Time } from '../values/scalars.ts';
import { Standing } from '../values/standing.ts';
import { ComputeClaim } from './compute-claims.ts';

/** True if this life has an open wake stream in this cycle. */
export const Presence = z.strictObject({
  agent_id: AgentId,
  uid: z.string(),
  cycle: z.int().min(0),
  connected: z.boolean(),
  last_seen: Time,
});
export type Presence = z.infer<typeof Presence>;

export const ScheduleActivity = z.strictObject({
  schedule_uid: z.string().min(1).max(64),
  active_runs: z.int().min(0),
  last_run_id: z.uuid().nullable(),
  last_run_at: Time.nullable(),
  last_slot: Time.nullable().describe('Newest slot that has fired'),
});
export type ScheduleActivity = z.infer<typeof ScheduleActivity>;

export const Boost = z.strictObject({
  agent_id: AgentId,
  priority: z.boolean().describe('True if the agent precedes the others of its tier'),
  gpu: z
    .strictObject({ resource_name: z.string(), count: z.int().min(1) })
    .nullable()
    .describe('GPUs that only this agent has for now'),
  until: Time.nullable().describe('Earliest end of these windows; the stream also reports the end'),
});
export type Boost = z.infer<typeof Boost>;

export const VillageState = z.strictObject({
  frozen: z.boolean(),
  reason: z.string().nullable(),
  since: Time.nullable(),
});
export type VillageState = z.infer<typeof VillageState>;

/** Maximum number of agents that one node pauses at a time. */
export const PAUSED_MAX = 256;

export const NodeShortage = z.strictObject({
  node: z.string().min(1).max(253),
  short: z.boolean().describe('True while the node is short of memory: it gives no new seat and no larger one'),
  paused: z.array(AgentId).max(PAUSED_MAX).describe('Agents whose pods on this node end until it recovers'),
});
export type NodeShortage = z.infer<typeof NodeShortage>;

const ofOperator = { tag: 'internal', placement: 'absolute', audiences: ['agents'], permission: 'operator' } as const;

export const openInternalStream = defineRoute('openInternalStream GET /internal/stream', {
  ...ofOperator,
  summary:
    "Stream of the operator's facts: standing, presence and missing capabilities of agents, runs of schedules, and nodes that are short of memory; resumable by the event id",
  query: z.strictObject({
    after: z
      .string()
      .max(64)
      .regex(/^[0-9a-z-]+:[0-9]+$/, 'write EPOCH:OFFSET, the id of the last event received')
      .optional(),
  }),
  answer: {
    kind: 'sse',
    events: {
      // Sent first if the stream cannot resume at `after`: the reader forgets all facts, and the current ones follow.
      reset: z.strictObject({ epoch: z.string() }),
      // Sent after a reset and all current facts: the reader forgets all other facts.
      synced: z.strictObject({}),
      standing: Standing,
      presence: Presence,
      schedule: ScheduleActivity,
      boost: Boost,
      claim: ComputeClaim,
      village: VillageState,
      shortage: NodeShortage,
      capabilities: CapabilitySummary,
    },
  },
});

export const closeAgent = defineRoute('closeAgent POST /internal/agents/{agent_id}/close', {
  ...ofOperator,
  summary: 'Close an ended life of an agent: remove the agent from the world and close its account',
  idempotency: 'natural',
  body: z.strictObject({ uid: z.string().min(1).max(64) }),
  answer: json(z.strictObject({ agent_id: AgentId, uid: z.string(), closed: z.literal(true) })),
});

export const BOOKS_PAGE_MAX = 200;

const limit = z.coerce.number().int().min(1).max(BOOKS_PAGE_MAX).default(BOOKS_PAGE_MAX);

/** Facts about one agent; null if the village has none. */
export const AgentBooks = z.strictObject({
  agent_id: AgentId,
  life_uid: z
    .string()
    .nullable()
    .describe(
      'Uid of the Agent of the open life. Null before its first pod requests a session, and after the life is closed',
    ),
  standing: Standing.nullable(),
  presence: Presence.nullable(),
  boost: Boost.nullable(),
  claim: ComputeClaim.nullable(),
});
export type AgentBooks = z.infer<typeof AgentBooks>;

export const listAgentBooks = defineRoute('listAgentBooks GET /internal/books/agents', {
  ...ofOperator,
  summary: "Facts of each agent in the database, by name, for the operator's drift audit. A page shows one moment",
  query: z.strictObject({ after: AgentId.optional().describe('Last name of the previous page'), limit }),
  answer: json(
    z.strictObject({
      agents: z.array(AgentBooks),
      next: AgentId.nullable().describe('The `after` of the next page; null on the last'),
    }),
  ),
});

const ScheduleUid = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\w.-]+$/, 'write the uid of a Schedule');

export const listScheduleBooks = defineRoute('listScheduleBooks GET /internal/books/schedules', {
  ...ofOperator,
  summary: "State of each schedule's runs in the database, by uid, for the operator's drift audit",
  query: z.strictObject({ after: ScheduleUid.optional().describe('Last uid of the previous page'), limit }),
  answer: json(
    z.strictObject({
      schedules: z.array(ScheduleActivity),
      next: z.string().nullable().describe('The `after` of the next page; null on the last'),
    }),
  ),
});
