import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { shownLimits } from '../kinds/tier-limits.ts';
import { Mind } from '../values/mind.ts';
import { OnConflictQuery, Time } from '../values/scalars.ts';
import { Standing } from '../values/standing.ts';
import { AgentView } from '../world/view.ts';

const Persona = z.strictObject({ identity: z.string(), personality: z.string(), instructions: z.string() });

export const Limits = z.strictObject({
  ...shownLimits(),
  models: z.array(z.string()),
});
export type Limits = z.infer<typeof Limits>;

/** aiDollars. */
export const TierPrice = z.strictObject({ per_hour: z.string(), per_thousand_tokens: z.string() });
export type TierPrice = z.infer<typeof TierPrice>;

export const AgentCondition = z.strictObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  last_transition_time: Time,
});

/** An agent in a list. `why` says in words why it runs or does not run. */
export const AgentDetail = AgentView.extend({
  persona: Persona.nullable().describe('Null only in a list without personas'),
  entitlement: z.strictObject({
    tier: z.string().nullable(),
    policy: z.enum(['ByBalance', 'Pinned']),
    pinned_to: z.string().nullable().describe('Tier that its custom resource names; null if its balance decides'),
    limits: Limits.nullable(),
    price: TierPrice.nullable(),
  }),
  tier: z.string().nullable(),
  standing: Standing.omit({ agent_id: true }),
  balance: z
    .string()
    .nullable()
    .describe('aiDollars; null if the agent has no account yet, or the ledger is unavailable'),
  node: z.string().nullable(),
  pod: z.string().nullable(),
  cycle: z.int().min(0),
  conditions: z.array(AgentCondition),
  why: z.strictObject({ ready: z.boolean(), reason: z.string(), message: z.string() }),
  mind: Mind.nullable()
    .default(null)
    .describe('The mind of the agent, as its pod reported, else as its spec names it; null if neither has'),
  uid: z.string(),
  created_at: Time,
  a2a: z.literal(true).optional().describe('Present if other systems may call the agent at `/a2a/{agent_id}`'),
  limit_reached: z
    .strictObject({ limit: z.literal('requests_per_minute'), quota: z.int(), until: Time })
    .optional()
    .describe("Only for a single agent: the tier's limit for which its requests wait"),
});
export type AgentDetail = z.infer<typeof AgentDetail>;

export const listAgents = defineRoute('listAgents GET /agents', {
  summary: 'All agents of the village with their details; personas, the longest part, can be left out',
  tag: 'agents',
  permission: 'world:read',
  query: z.strictObject({ persona: z.enum(['include', 'omit']).default('include') }),
  answer: json(z.strictObject({ agents: z.array(AgentDetail) })),
});

export const getAgent = defineRoute('getAgent GET /agents/{agent_id}', {
  summary: 'One agent: its place, limits, and why it runs or not',
  tag: 'agents',
  permission: 'world:read',
  answer: json(AgentDetail),
  reasons: ['no_such_agent'],
});

export const LifecycleAnswer = z.strictObject({
  agent_id: z.string(),
  power: z.enum(['Awake', 'Asleep']),
  cycle: z.int().min(0).describe('Run cycle at the time of the answer; it grows when the change takes effect'),
  changed: z.boolean().describe('False if the agent was in that state already'),
});
export type LifecycleAnswer = z.infer<typeof LifecycleAnswer>;

const lifecycle = {
  tag: 'agents',
  permission: 'agent:lifecycle',
  query: OnConflictQuery,
  answer: json(LifecycleAnswer),
} as const;

export const awakenAgent = defineRoute('awakenAgent POST /agents/{agent_id}/awakening', {
  ...lifecycle,
  summary: 'Awaken an agent; no change if it is awake',
  reasons: ['no_such_agent', 'field_owned_elsewhere', 'agent_banned'],
});

export const suspendAgent = defineRoute('suspendAgent DELETE /agents/{agent_id}/awakening', {
  ...lifecycle,
  summary: 'Put an agent to sleep: its pod ends, its volume stays; no change if it is asleep',
  reasons: ['no_such_agent', 'field_owned_elsewhere'],
});

export const rebootAgent = defineRoute('rebootAgent POST /agents/{agent_id}/reboot', {
  ...lifecycle,
  summary: 'Begin a new run cycle of an awake agent, without waiting for the old cycle to end',
  reasons: ['no_such_agent', 'field_owned_elsewhere', 'reboot_while_asleep', 'agent_banned'],
});
