import { z } from 'zod';
import { DEFAULT_GPU_RESOURCE, MAX_GPUS } from '../../kinds/entitlement.ts';
import { AMOUNT_MAX_AIDOLLARS, AiDollars, parseAiDollars } from '../../values/money.ts';

export const PURCHASE_SECONDS_MAX = 604_800;
export const WINDOW_AHEAD_SECONDS_MAX = 2_592_000;

const Price = AiDollars.refine(
  (text) => parseAiDollars(text) > 0n && parseAiDollars(text) <= BigInt(AMOUNT_MAX_AIDOLLARS) * 1_000_000n,
  'write a price above 0, for example "0.05"',
);
const PerHour = Price.meta({ description: 'aiDollars for each hour', example: '0.05' });

/** Raising a limit by `unit` for one hour costs `per_hour`. */
const QuotaPrice = z.strictObject({ unit: z.int().min(1).max(1_000_000_000), per_hour: PerHour });

/** A group of devices that is sold as a whole, to one agent at a time. */
export const Lane = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'write lower case letters, digits and hyphens, for example gpu-0')
  .meta({ example: 'gpu-0' });

export const GpuLane = z.strictObject({
  lane: Lane,
  resource_name: z
    .string()
    .max(128)
    .regex(/^[a-z0-9.-]+\/[a-z0-9._-]+$/, 'write the name of an extended resource, for example nvidia.com/gpu')
    .default(DEFAULT_GPU_RESOURCE),
  count: z.int().min(1).max(MAX_GPUS).default(1),
});
export type GpuLane = z.infer<typeof GpuLane>;

const LANES_MAX = 64;
const MODELS_MAX = 64;
const ModelName = z.string().min(1).max(128);

/** Anything not listed is not for sale. */
export const PriceList = z.strictObject({
  requests_per_minute: QuotaPrice.default({ unit: 60, per_hour: '0.01' }),
  tokens_per_hour: QuotaPrice.default({ unit: 500_000, per_hour: '0.1' }),
  priority: z.strictObject({ per_hour: PerHour }).default({ per_hour: '0.1' }),
  models: z
    .record(ModelName, z.strictObject({ per_hour: PerHour }))
    .refine((models) => Object.keys(models).length <= MODELS_MAX, `write at most ${MODELS_MAX} models`)
    .default({ small: { per_hour: '0.02' }, large: { per_hour: '0.25' } }),
  gpu: z
    .strictObject({ per_hour: PerHour, lanes: z.array(GpuLane).max(LANES_MAX) })
    .refine(
      ({ lanes }) => new Set(lanes.map(({ lane }) => lane)).size === lanes.length,
      'two lanes have the same name: give each lane its own name',
    )
    .default({ per_hour: '1', lanes: [{ lane: 'gpu-0', resource_name: DEFAULT_GPU_RESOURCE, count: 1 }] }),
});
export type PriceList = z.infer<typeof PriceList>;
