import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { MEASURE_REASON_MAX } from '../standing.ts';
import { Time } from './scalars.ts';

const Reason = z.string().trim().min(1).max(MEASURE_REASON_MAX);

/** Whether the village is frozen, and when what a freeze stops happened last: the proof that it holds. */
export const VillageFreeze = z.strictObject({
  frozen: z.boolean(),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why, in the words of the admin; null while the village is not frozen' }),
  by: z.strictObject({ role: z.string(), id: z.string() }).nullable(),
  since: Time.nullable(),
  last_transfer_at: Time.nullable().meta({ description: 'When money last moved; null where none ever has' }),
  last_model_request_at: Time.nullable().meta({ description: 'When a model was last asked' }),
  last_run_started_at: Time.nullable().meta({ description: 'When a run last began' }),
});
export type VillageFreeze = z.infer<typeof VillageFreeze>;

/** Why the village is frozen. */
export const VillageFreezeBody = z.strictObject({ reason: Reason.meta({ example: 'an agent empties the treasury' }) });

const freeze = {
  tag: 'standing',
  path: '/village/freeze',
  placement: 'versioned',
  audiences: ['people', 'agents'],
  answer: { kind: 'json', schema: VillageFreeze },
  reasons: [],
} as const;

export const getVillageFreeze = defineRoute({
  ...freeze,
  name: 'getVillageFreeze',
  summary:
    'Whether the village is frozen, why and since when, and when money last moved, a model was last asked and a run last began',
  method: 'GET',
  permission: 'anyone',
  idempotency: 'read',
});

/** Frozen again, the village keeps the freeze that holds. */
export const freezeVillage = defineRoute({
  ...freeze,
  name: 'freezeVillage',
  summary: 'Freeze everyone: no money moves, no model is asked, no run begins until the freeze is lifted',
  method: 'POST',
  permission: 'village:freeze',
  idempotency: 'key',
  body: VillageFreezeBody,
});

/** Lifting what does not hold changes nothing. */
export const liftVillageFreeze = defineRoute({
  ...freeze,
  name: 'liftVillageFreeze',
  summary: 'Lift the freeze of the village',
  method: 'DELETE',
  permission: 'village:freeze',
  idempotency: 'key',
  query: z.strictObject({ reason: Reason.optional() }),
});
