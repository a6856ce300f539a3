import * as z from 'zod';
import { Conditions } from '../conditions.ts';
import { guarded } from './guarded.ts';
import { API_VERSION, ObjectMeta } from './object-meta.ts';
import { Balance, ByteQuantity, CpuQuantity, matching, ObjectName, Price, text } from './text.ts';

/** The largest GPU count that one agent may ask for. */
export const MAX_GPUS = 16;
const MAX_RANK = 1_000;
const MAX_MODELS = 64;

const Limits = z.strictObject({
  requestsPerMinute: z.int().min(0).max(100_000).describe('Requests to the api.'),
  concurrentTools: z.int().min(0).max(1_000).describe('Tools at work at one time.'),
  tokensPerHour: z.int().min(0).max(1_000_000_000).describe('Tokens of language models.'),
  models: z
    .array(text(128, 1))
    .max(MAX_MODELS)
    .default([])
    .describe('Models that may be used; none if empty. The first is the default.'),
});

const Gpu = guarded(
  z.strictObject({
    resourceName: matching(
      '^[a-z0-9.-]+/[a-z0-9._-]+$',
      128,
      'write the name of an extended resource, for example nvidia.com/gpu',
    ).default('nvidia.com/gpu'),
    count: z.int().min(0).max(MAX_GPUS).default(0),
    mode: z
      .enum(['None', 'Shared', 'Exclusive'])
      .default('None')
      .describe('Shared: one permit of a time-sliced GPU. Exclusive: whole GPUs. A share of a GPU cannot be enforced and is not offered.'),
  }),
  [
    {
      holds: (value) => value.mode !== 'Shared' || value.count === 1,
      rule: "self.mode != 'Shared' || self.count == 1",
      message: 'mode Shared is one permit of one GPU: write count: 1, or mode: Exclusive',
    },
    {
      holds: (value) => value.mode !== 'None' || value.count === 0,
      rule: "self.mode != 'None' || self.count == 0",
      message: 'mode None has no GPU: write count: 0, or mode: Shared or Exclusive',
    },
    {
      holds: (value) => value.mode !== 'Exclusive' || value.count >= 1,
      rule: "self.mode != 'Exclusive' || self.count >= 1",
      message: `mode Exclusive needs GPUs: write a count from 1 to ${MAX_GPUS}, or mode: None`,
    },
  ],
);

const Compute = z.strictObject({
  resources: z
    .strictObject({ cpu: CpuQuantity.default('500m'), memory: ByteQuantity.default('512Mi') })
    .prefault({})
    .describe('Limits of the pod; it requests half of them.'),
  gpu: Gpu.prefault({}),
  priorityClassName: ObjectName.optional(),
});

/** A tier: a bundle of limits and compute, and the balance that opens it. */
export const EntitlementSpec = z.strictObject({
  rank: z.int().min(0).max(MAX_RANK).describe('Order of the tiers; the highest that the balance reaches is taken.'),
  minBalance: Balance.default('0').describe('The balance in aiDollars that opens the tier.'),
  limits: Limits,
  compute: Compute.prefault({}),
  price: z.strictObject({ perHour: Price.default('0'), perThousandTokens: Price.default('0') }).prefault({}),
});
export type EntitlementSpec = z.infer<typeof EntitlementSpec>;

export const EntitlementStatus = z.strictObject({
  conditions: Conditions.optional(),
  observedGeneration: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
export type EntitlementStatus = z.infer<typeof EntitlementStatus>;

/** One tier of a village. */
export const Entitlement = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Entitlement'),
  metadata: ObjectMeta,
  spec: EntitlementSpec,
  status: EntitlementStatus.optional(),
});
export type Entitlement = z.infer<typeof Entitlement>;
