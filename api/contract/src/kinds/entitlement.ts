import * as z from 'zod';
import { TierTools } from './agent-mind.ts';
import { Conditions } from './conditions.ts';
import { TierEgress } from './egress-rules.ts';
import { guarded } from './guarded.ts';
import { API_VERSION, ObjectMeta } from './object-meta.ts';
import { writtenLimits } from './tier-limits.ts';
import { Balance, ByteQuantity, CpuQuantity, matching, ObjectName, Price, text } from './text.ts';

export const MAX_GPUS = 16;
export const MAX_RANK = 1_000;
export const MAX_MODELS = 64;
const Limits = z.strictObject({
  ...writtenLimits('field'),
  models: z
    .array(text(128, 1))
    .max(MAX_MODELS)
    .default([])
    .describe('Models that agents may use; none if empty. The first is the default.'),
});

export const DEFAULT_GPU_RESOURCE = 'nvidia.com/gpu';

const NO_SHARE = 'GPUs cannot guarantee a share of their memory, cores or time';
const INSTEAD =
  'write mode: Shared (a permit to use a shared GPU) or mode: Exclusive with a count (whole GPUs), and limit models by limits.tokensPerHour';

/**
 * Shares of a GPU, which the hardware cannot guarantee. Declared to be refused, because the API server would silently drop unknown fields.
 */
const PROMISES = {
  fraction: { type: 'number' },
  share: { type: 'number' },
  memory: { 'x-kubernetes-int-or-string': true },
  cores: { 'x-kubernetes-int-or-string': true },
  percent: { 'x-kubernetes-int-or-string': true },
} as const;
type ShareField = keyof typeof PROMISES;

const promiseFields = Object.fromEntries(
  Object.entries(PROMISES).map(([name, meta]) => [
    name,
    z
      .unknown()
      .optional()
      .meta({ ...meta, description: `Refused: ${NO_SHARE}.` }),
  ]),
) as Record<ShareField, z.ZodOptional<z.ZodUnknown>>;

const SHARE_NAMES = '/v?(gpu|cuda)[-._]?(mem|core|percent|fraction)';

/** An extended resource that counts whole devices or permits. */
const GpuResource = guarded(
  matching('^[a-z0-9.-]+/[a-z0-9._-]+$', 128, 'write the name of an extended resource, for example nvidia.com/gpu'),
  [
    {
      holds: (value) => !new RegExp(SHARE_NAMES).test(value),
      rule: `!self.matches('${SHARE_NAMES}')`,
      message: `a resource of this name sells shares, and ${NO_SHARE}: name whole devices or permits, for example nvidia.com/gpu`,
    },
  ],
);

const Gpu = guarded(
  z.strictObject({
    mode: z
      .enum(['None', 'Shared', 'Exclusive'])
      .default('None')
      .describe(
        'Mode of GPU use. Shared: one permit to use a GPU with others, with no promise of speed. Exclusive: whole GPUs.',
      ),
    resourceName: GpuResource.optional().describe(
      `Extended resource that nodes advertise, for example for time-sliced or MIG devices; ${DEFAULT_GPU_RESOURCE} by default.`,
    ),
    count: z.int().min(0).max(MAX_GPUS).default(0).describe('Number of devices of the resource for one agent.'),
    claimTemplateName: ObjectName.optional().describe(
      'ResourceClaimTemplate (resource.k8s.io/v1) of the namespace, from which each pod gets a claim; replaces resourceName and count.',
    ),
    ...promiseFields,
  }),
  [
    {
      holds: (value) => value.claimTemplateName === undefined || value.resourceName === undefined,
      rule: '!has(self.claimTemplateName) || !has(self.resourceName)',
      message: 'claimTemplateName and resourceName are two ways to the same GPUs: write one of them',
    },
    {
      holds: (value) => value.claimTemplateName === undefined || value.count === 0,
      rule: '!has(self.claimTemplateName) || self.count == 0',
      message: 'the claim template sets the number of devices: leave count out',
    },
    {
      holds: (value) => value.claimTemplateName !== undefined || value.mode !== 'Shared' || value.count === 1,
      rule: "has(self.claimTemplateName) || self.mode != 'Shared' || self.count == 1",
      message: 'mode Shared gives one permit for one GPU: write count: 1, or mode: Exclusive',
    },
    {
      holds: (value) => value.mode !== 'None' || (value.count === 0 && value.claimTemplateName === undefined),
      rule: "self.mode != 'None' || (self.count == 0 && !has(self.claimTemplateName))",
      message: 'mode None has no GPU: leave count and claimTemplateName out, or write mode: Shared or Exclusive',
    },
    {
      holds: (value) => value.claimTemplateName !== undefined || value.mode !== 'Exclusive' || value.count >= 1,
      rule: "has(self.claimTemplateName) || self.mode != 'Exclusive' || self.count >= 1",
      message: `mode Exclusive needs GPUs: write a count from 1 to ${MAX_GPUS}, or mode: None`,
    },
    ...(Object.keys(PROMISES) as ShareField[]).map((name) => ({
      holds: (value: Readonly<Partial<Record<ShareField, unknown>>>) => value[name] === undefined,
      rule: `!has(self.${name})`,
      message: `${name} is not supported: ${NO_SHARE}. Leave it out: ${INSTEAD}`,
    })),
  ],
);
type Gpu = z.infer<typeof Gpu>;

/** The devices that a pod requests; undefined if there are none, or if a claim template provides them. */
export function devicesOf(gpu: Gpu): { readonly resourceName: string; readonly count: number } | undefined {
  if (gpu.mode === 'None' || gpu.claimTemplateName !== undefined) return undefined;
  return { resourceName: gpu.resourceName ?? DEFAULT_GPU_RESOURCE, count: gpu.count };
}

const Compute = z.strictObject({
  resources: z
    .strictObject({ cpu: CpuQuantity.default('500m'), memory: ByteQuantity.default('512Mi') })
    .prefault({})
    .describe('Limits of the pod, which requests half of them.'),
  gpu: Gpu.prefault({}),
  priorityClassName: ObjectName.optional().describe(
    'PriorityClass of the pods: Kubernetes first ends pods of low priority when a node is short of resources.',
  ),
});

export const EntitlementSpec = z.strictObject({
  rank: z
    .int()
    .min(0)
    .max(MAX_RANK)
    .describe('Rank of the tier; an agent gets the highest tier that its balance reaches.'),
  minBalance: Balance.default('0').describe('Balance in aiDollars that opens the tier.'),
  limits: Limits,
  compute: Compute.prefault({}),
  tools: TierTools.optional().describe('Tools of the agents of the tier.'),
  egress: TierEgress.optional().describe('Hosts outside of the village that agents of the tier may reach.'),
  price: z.strictObject({ perHour: Price.default('0'), perThousandTokens: Price.default('0') }).prefault({}),
});
export type EntitlementSpec = z.infer<typeof EntitlementSpec>;

export const ENTITLEMENT_REASONS = {
  Derived: 'the seats are counted from the capacity of the nodes',
  DevicesNotCounted:
    'the seats are counted by cpu and memory: only the scheduler knows the devices of a claim template',
  InvalidSpec: 'the spec cannot be read: correct it as the message says',
  ExamplesHold: 'each rule passes its examples',
  ExamplesPending: 'the operator is loading the parser of shell commands: wait a moment',
  RuleBroken:
    'an example contradicts its rule, which now no longer allows but still asks and denies: correct the rule or its example',
  NoNode: 'no node is ready and open to agents: see kubectl get nodes',
  TooLarge: 'no node is large enough for one agent of the tier: write smaller resources, or free a node',
} as const satisfies Readonly<Record<string, string>>;
export type EntitlementReason = keyof typeof ENTITLEMENT_REASONS;

const Count = z.int().min(0).max(1_000_000);

export const EntitlementStatus = z.strictObject({
  conditions: Conditions.optional(),
  observedGeneration: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  seats: z
    .strictObject({
      total: Count.describe('Number of agents of this tier that would fit on empty nodes.'),
      free: Count.describe('Number of further agents of this tier that fit now without displacing others.'),
    })
    .optional(),
  agents: Count.optional().describe('Number of agents at this tier, awake or asleep.'),
});
export type EntitlementStatus = z.infer<typeof EntitlementStatus>;

export const Entitlement = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Entitlement'),
  metadata: ObjectMeta,
  spec: EntitlementSpec,
  status: EntitlementStatus.optional(),
});
export type Entitlement = z.infer<typeof Entitlement>;
