import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { AgentParams, Time } from './scalars.ts';
import { Standing } from '../standing.ts';
import { AgentView } from '../world/view.ts';

const Persona = z.strictObject({ identity: z.string(), personality: z.string(), instructions: z.string() });

/** What a tier allows, as its Entitlement says. */
export const Limits = z.strictObject({
  requests_per_minute: z.int().nullable(),
  concurrent_tools: z.int().nullable(),
  tokens_per_hour: z.int().nullable(),
  models: z.array(z.string()),
});
export type Limits = z.infer<typeof Limits>;

/** What a tier costs, in aiDollars. */
export const TierPrice = z.strictObject({ per_hour: z.string(), per_thousand_tokens: z.string() });
export type TierPrice = z.infer<typeof TierPrice>;

export const AgentCondition = z.strictObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  last_transition_time: Time,
});

/** An agent as the world, its custom resource and its pod have it. `why` answers "why is my agent not running" in words. */
export const AgentDetail = AgentView.extend({
  persona: Persona.nullable().meta({ description: 'Null only in a list that was asked for without personas' }),
  entitlement: z.strictObject({
    tier: z.string().nullable(),
    policy: z.enum(['ByBalance', 'Pinned']),
    pinned_to: z
      .string()
      .nullable()
      .meta({ description: 'The tier that its custom resource names; null where its balance decides' }),
    limits: Limits.nullable(),
    price: TierPrice.nullable(),
  }),
  tier: z.string().nullable(),
  standing: Standing.omit({ agent_id: true }),
  balance: z
    .string()
    .nullable()
    .meta({ description: 'aiDollars; null where the agent has no account yet, or the books cannot be read now' }),
  node: z.string().nullable(),
  pod: z.string().nullable(),
  cycle: z.int().min(0),
  conditions: z.array(AgentCondition),
  why: z.strictObject({ ready: z.boolean(), reason: z.string(), message: z.string() }),
  uid: z.string(),
  created_at: Time,
});
export type AgentDetail = z.infer<typeof AgentDetail>;

export const listAgents = defineRoute({
  name: 'listAgents',
  summary: 'All agents of the village with their details; personas, the longest part, can be left out',
  tag: 'agents',
  method: 'GET',
  path: '/agents',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'world:read',
  idempotency: 'read',
  query: z.strictObject({ persona: z.enum(['include', 'omit']).default('include') }),
  answer: { kind: 'json', schema: z.strictObject({ agents: z.array(AgentDetail) }) },
  reasons: [],
});

export const getAgent = defineRoute({
  name: 'getAgent',
  summary: 'One agent: where it is, what it may use, and why it runs or not',
  tag: 'agents',
  method: 'GET',
  path: '/agents/{agent_id}',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'world:read',
  idempotency: 'read',
  params: AgentParams,
  answer: { kind: 'json', schema: AgentDetail },
  reasons: ['no_such_agent'],
});

export const LifecycleAnswer = z.strictObject({
  agent_id: z.string(),
  power: z.enum(['Awake', 'Asleep']),
  cycle: z
    .int()
    .min(0)
    .meta({ description: 'The run cycle when the answer was made; the operator raises it as the change takes effect' }),
  changed: z.boolean().meta({ description: 'False where the agent was so already' }),
});
export type LifecycleAnswer = z.infer<typeof LifecycleAnswer>;

/** What to do where somebody else (say, a GitOps tool) owns the field: refuse and name the owner, or take the field over. */
const LifecycleQuery = z.strictObject({ on_conflict: z.enum(['refuse', 'take_over']).default('refuse') });

const lifecycle = {
  tag: 'agents',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'agent:lifecycle',
  idempotency: 'key',
  params: AgentParams,
  query: LifecycleQuery,
  answer: { kind: 'json', schema: LifecycleAnswer },
} as const;

export const awakenAgent = defineRoute({
  ...lifecycle,
  name: 'awakenAgent',
  summary: 'Awaken an agent; changes nothing if it is awake',
  method: 'POST',
  path: '/agents/{agent_id}/awakening',
  reasons: ['no_such_agent', 'field_owned_elsewhere', 'agent_banned'],
});

export const suspendAgent = defineRoute({
  ...lifecycle,
  name: 'suspendAgent',
  summary: 'Put an agent to sleep: its pod goes, its volume stays; changes nothing if it is asleep',
  method: 'DELETE',
  path: '/agents/{agent_id}/awakening',
  reasons: ['no_such_agent', 'field_owned_elsewhere'],
});

export const rebootAgent = defineRoute({
  ...lifecycle,
  name: 'rebootAgent',
  summary: 'Start a new run cycle of an awake agent without waiting for the old one',
  method: 'POST',
  path: '/agents/{agent_id}/reboot',
  reasons: ['no_such_agent', 'field_owned_elsewhere', 'reboot_while_asleep', 'agent_banned'],
});
