import { z } from 'zod';

const MAX_TOOLS = 200;
const MAX_MODEL_CHARS = 200;

const id = z
  .string()
  .regex(
    /^[a-z][a-z0-9_.-]{0,63}$/,
    'an id has a-z, 0-9, _, . and -, begins with a letter, and has at most 64 characters',
  );
const limit = z.int().min(1);

/** Limits of a task. `minutes`: of work, without waiting. `money`: aiDollars as decimal text. A limit that is absent stays. */
const budget = z
  .strictObject({
    steps: limit,
    tokens: limit,
    minutes: limit,
    money: z.string().regex(/^\d{1,12}(\.\d{1,6})?$/, 'an amount is decimal text, as in "0.5"'),
  })
  .partial()
  .refine((limits) => Object.keys(limits).length > 0, 'name a limit: steps, tokens, minutes or money');

/**
 * A change of one task against its manifests. Field names are those of `overrides.yaml`.
 *
 * `analysis_only`: no call that changes something. `dry_run`: calls that change something are recorded and not done. `require_review`: the
 * agent must approve before each exit of the workflow, with an output that has `approved: true`.
 */
export const Override = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('analysis_only') }),
  z.strictObject({ kind: z.literal('dry_run') }),
  z.strictObject({ kind: z.literal('skip_tools'), tools: z.array(id).min(1).max(MAX_TOOLS) }),
  z.strictObject({ kind: z.literal('model'), agent: id, model: z.string().min(1).max(MAX_MODEL_CHARS) }),
  z.strictObject({ kind: z.literal('budget'), budget }),
  z.strictObject({ kind: z.literal('require_review'), agent: id }),
]);
export type Override = Readonly<z.infer<typeof Override>>;
