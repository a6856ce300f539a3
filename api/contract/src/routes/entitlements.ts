import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { AgentCondition, Limits, TierPrice } from './agents.ts';

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
  seats: z.strictObject({ total: z.int().min(0), free: z.int().min(0) }).nullable().meta({ description: 'Derived from the nodes; null where nobody has counted' }),
  agents: z.int().min(0).meta({ description: 'Agents at this tier now' }),
  conditions: z.array(AgentCondition),
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
