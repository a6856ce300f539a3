import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';
import { MAX_GPUS, MAX_MODELS, MAX_RANK } from '../kinds/entitlement.ts';
import { writtenLimits } from '../kinds/tier-limits.ts';
import { AiDollars } from '../values/money.ts';
import { AgentCondition, Limits, TierPrice } from './agents.ts';
import { OnConflictQuery } from '../values/scalars.ts';

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

export const EntitlementView = z.strictObject({
  name: z.string(),
  rank: z.int().min(0),
  min_balance: z.string().describe('Balance in aiDollars that opens the tier'),
  limits: Limits,
  compute: Compute,
  price: TierPrice,
  seats: z
    .strictObject({ total: z.int().min(0), free: z.int().min(0) })
    .nullable()
    .describe('Seats counted from the nodes; null before the operator has counted'),
  agents: z.int().min(0).describe('Number of agents at this tier now'),
  conditions: z.array(AgentCondition),
  etag: z
    .string()
    .nullable()
    .describe('Etag of the present spec; send it as If-Match to change only this one. Null without a cluster'),
});
export type EntitlementView = z.infer<typeof EntitlementView>;

export const listEntitlements = defineRoute('listEntitlements GET /entitlements', {
  summary: 'The tiers, lowest first: opening balance, limits, compute, price and seats of each',
  tag: 'agents',
  permission: 'world:read',
  answer: json(z.strictObject({ entitlements: z.array(EntitlementView) })),
});

const EntitlementParams = z.strictObject({
  name: z
    .string()
    .max(63)
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      'write the name of a tier: lower case letters, digits and hyphens, for example tier-1',
    )
    .meta({ example: 'tier-1' }),
});
const MODEL_NAME_MAX_CHARS = 128;
const QUANTITY_MAX_CHARS = 32;

/** The API server decides whether the spec is valid. */
export const EntitlementBody = z.strictObject({
  rank: z.int().min(0).max(MAX_RANK),
  min_balance: AiDollars.default('0'),
  limits: z.strictObject({
    ...writtenLimits('name'),
    models: z.array(z.string().min(1).max(MODEL_NAME_MAX_CHARS)).max(MAX_MODELS).default([]),
  }),
  compute: z
    .strictObject({
      cpu: z.string().min(1).max(QUANTITY_MAX_CHARS).default('500m'),
      memory: z.string().min(1).max(QUANTITY_MAX_CHARS).default('512Mi'),
      gpu: z
        .strictObject({
          mode: z.enum(['None', 'Shared', 'Exclusive']).default('None'),
          resource_name: z.string().max(MODEL_NAME_MAX_CHARS).nullable().default(null),
          count: z.int().min(0).max(MAX_GPUS).default(0),
          claim_template_name: z.string().max(63).nullable().default(null),
        })
        .prefault({}),
      priority_class_name: z.string().max(63).nullable().default(null),
    })
    .prefault({}),
  price: z.strictObject({ per_hour: AiDollars.default('0'), per_thousand_tokens: AiDollars.default('0') }).prefault({}),
});
export type EntitlementBody = z.infer<typeof EntitlementBody>;

const ofOne = { tag: 'agents', params: EntitlementParams } as const;

export const getEntitlement = defineRoute('getEntitlement GET /entitlements/{name}', {
  ...ofOne,
  summary: 'One tier',
  permission: 'world:read',
  answer: json(EntitlementView),
  reasons: ['no_such_entitlement'],
});

export const putEntitlement = defineRoute('putEntitlement PUT /entitlements/{name}', {
  ...ofOne,
  summary: 'Create or replace a tier in the cluster',
  permission: 'entitlements:change',
  ifMatch: true,
  query: OnConflictQuery,
  body: EntitlementBody,
  answer: json(EntitlementView),
  reasons: ['field_owned_elsewhere', 'entitlement_refused', 'precondition_failed', 'cluster_needed'],
});

export const AgentEntitlementBody = z.discriminatedUnion('policy', [
  z.strictObject({ policy: z.literal('ByBalance') }),
  z.strictObject({ policy: z.literal('Pinned'), name: EntitlementParams.shape.name }),
]);
export type AgentEntitlementBody = z.infer<typeof AgentEntitlementBody>;

export const putAgentEntitlement = defineRoute('putAgentEntitlement PUT /agents/{agent_id}/entitlement', {
  summary: "Pin an agent to a tier, or let its balance decide; changes the agent's custom resource",
  tag: 'agents',
  permission: 'entitlements:change',
  query: OnConflictQuery,
  body: AgentEntitlementBody,
  answer: json(
    z.strictObject({
      agent_id: z.string(),
      policy: z.enum(['ByBalance', 'Pinned']),
      name: z.string().nullable(),
      tier: z.string().nullable().describe('Tier at the time of the answer; the operator then acts on the change'),
      changed: z.boolean(),
    }),
  ),
  reasons: ['no_such_agent', 'no_such_entitlement', 'field_owned_elsewhere', 'cluster_needed'],
});
