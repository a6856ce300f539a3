import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { AiDollars } from '../money.ts';
import { AgentCondition, Limits, TierPrice } from './agents.ts';
import { AgentParams } from './scalars.ts';

/** What a tier's pods get. */
const Compute = z.strictObject({
  cpu: z.string().meta({ example: '500m' }),
  memory: z.string().meta({ example: '512Mi' }),
  gpu: z.strictObject({
    mode: z.enum(['None', 'Shared', 'Exclusive']),
    resource_name: z.string().nullable(),
    count: z.int().min(0),
    claim_template_name: z.string().nullable(),
  }),
  priority_class_name: z.string().nullable(),
});

/** A tier: what opens it, what it gives and costs, and how much room there is. */
export const EntitlementView = z.strictObject({
  name: z.string(),
  rank: z.int().min(0),
  min_balance: z.string().meta({ description: 'The balance in aiDollars that opens it' }),
  limits: Limits,
  compute: Compute,
  price: TierPrice,
  seats: z
    .strictObject({ total: z.int().min(0), free: z.int().min(0) })
    .nullable()
    .meta({ description: 'Derived from the nodes; null where nobody has counted' }),
  agents: z.int().min(0).meta({ description: 'Agents at this tier now' }),
  conditions: z.array(AgentCondition),
  etag: z.string().nullable().meta({
    description: 'Of its spec as it is; send it as If-Match to change nothing else. Null where there is no cluster',
  }),
});
export type EntitlementView = z.infer<typeof EntitlementView>;

export const listEntitlements = defineRoute({
  name: 'listEntitlements',
  summary: 'The tiers, lowest first: what opens each, what it gives and costs, and its seats',
  tag: 'agents',
  method: 'GET',
  path: '/entitlements',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'world:read',
  idempotency: 'read',
  answer: { kind: 'json', schema: z.strictObject({ entitlements: z.array(EntitlementView) }) },
  reasons: [],
});

const EntitlementParams = z.strictObject({
  name: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'a tier has a Kubernetes name: lower case letters, digits and hyphens')
    .meta({ example: 'tier-1' }),
});
const MODEL_NAME_MAX_CHARS = 128;
const QUANTITY_MAX_CHARS = 32;
/** What to do where somebody else (say, a GitOps tool) owns a field that would change: refuse and name the owner, or take it over. */
const OnConflictQuery = z.strictObject({ on_conflict: z.enum(['refuse', 'take_over']).default('refuse') });

/** The whole of a tier, as it shall be. Whether it may stand in the custom resource is for the API server to say. */
export const EntitlementBody = z.strictObject({
  rank: z.int().min(0).max(1_000),
  min_balance: AiDollars.default('0'),
  limits: z.strictObject({
    requests_per_minute: z.int().min(0).max(100_000),
    concurrent_tools: z.int().min(0).max(1_000),
    tokens_per_hour: z.int().min(0).max(1_000_000_000),
    models: z.array(z.string().min(1).max(MODEL_NAME_MAX_CHARS)).max(64).default([]),
  }),
  compute: z
    .strictObject({
      cpu: z.string().min(1).max(QUANTITY_MAX_CHARS).default('500m'),
      memory: z.string().min(1).max(QUANTITY_MAX_CHARS).default('512Mi'),
      gpu: z
        .strictObject({
          mode: z.enum(['None', 'Shared', 'Exclusive']).default('None'),
          resource_name: z.string().max(MODEL_NAME_MAX_CHARS).nullable().default(null),
          count: z.int().min(0).max(16).default(0),
          claim_template_name: z.string().max(63).nullable().default(null),
        })
        .prefault({}),
      priority_class_name: z.string().max(63).nullable().default(null),
    })
    .prefault({}),
  price: z.strictObject({ per_hour: AiDollars.default('0'), per_thousand_tokens: AiDollars.default('0') }).prefault({}),
});
export type EntitlementBody = z.infer<typeof EntitlementBody>;

const ofOne = {
  tag: 'agents',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  path: '/entitlements/{name}',
  params: EntitlementParams,
} as const;

export const getEntitlement = defineRoute({
  ...ofOne,
  name: 'getEntitlement',
  summary: 'One tier',
  method: 'GET',
  permission: 'world:read',
  idempotency: 'read',
  answer: { kind: 'json', schema: EntitlementView },
  reasons: ['no_such_entitlement'],
});

export const putEntitlement = defineRoute({
  ...ofOne,
  name: 'putEntitlement',
  summary: 'Write a tier to the cluster as it shall be: change the one of that name, or make it',
  method: 'PUT',
  permission: 'entitlements:change',
  idempotency: 'key',
  ifMatch: true,
  query: OnConflictQuery,
  body: EntitlementBody,
  answer: { kind: 'json', schema: EntitlementView },
  reasons: ['field_owned_elsewhere', 'entitlement_refused', 'precondition_failed', 'cluster_needed'],
});

/** By its balance, or pinned to one tier. */
export const AgentEntitlementBody = z.discriminatedUnion('policy', [
  z.strictObject({ policy: z.literal('ByBalance') }),
  z.strictObject({ policy: z.literal('Pinned'), name: EntitlementParams.shape.name }),
]);
export type AgentEntitlementBody = z.infer<typeof AgentEntitlementBody>;

export const putAgentEntitlement = defineRoute({
  name: 'putAgentEntitlement',
  summary: "Pin an agent to a tier, or let its balance decide; written to the agent's custom resource",
  tag: 'agents',
  method: 'PUT',
  path: '/agents/{agent_id}/entitlement',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'entitlements:change',
  idempotency: 'key',
  params: AgentParams,
  query: OnConflictQuery,
  body: AgentEntitlementBody,
  answer: {
    kind: 'json',
    schema: z.strictObject({
      agent_id: z.string(),
      policy: z.enum(['ByBalance', 'Pinned']),
      name: z.string().nullable(),
      tier: z
        .string()
        .nullable()
        .meta({ description: 'The tier when the answer was made; the operator acts on the change' }),
      changed: z.boolean(),
    }),
  },
  reasons: ['no_such_agent', 'no_such_entitlement', 'field_owned_elsewhere', 'cluster_needed'],
});
