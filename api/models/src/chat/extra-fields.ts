import { ModelFault } from './model-error.ts';

/** Fields of Chat Completions that only some providers have, by their names there. */
export const EXTRA_FIELDS = [
  'reasoning_effort',
  'top_p',
  'top_k',
  'thinking',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'verbosity',
  'service_tier',
  'user',
] as const;
export type ExtraField = (typeof EXTRA_FIELDS)[number];
/** The values as the protocol defines them; the caller has checked them. */
export type ExtraFields = Readonly<Partial<Record<ExtraField, unknown>>>;

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Values that ask for nothing, which many clients send as defaults. */
const NEUTRAL: Readonly<Record<ExtraField, (value: unknown) => boolean>> = {
  reasoning_effort: () => false,
  top_p: (value) => value === 1,
  top_k: (value) => value === 0 || value === -1,
  // A hint. The receipt of the gateway names a model that has no such field.
  thinking: () => true,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logit_bias: isEmpty,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  verbosity: (value) => value === 'medium',
  service_tier: (value) => value === 'auto' || value === 'default',
  // A label that does not change the answer.
  user: () => true,
};

/**
 * The extra fields of a request for a provider that has those of the list. Leaves out others if their value asks for
 * nothing, and refuses any other value with `bad_request` and the name of the field. Pure.
 */
export function extraFieldsFor(has: readonly ExtraField[], extra: ExtraFields = {}): ExtraFields {
  const given = EXTRA_FIELDS.filter((field) => extra[field] !== undefined && extra[field] !== null);
  const lacking = given.find((field) => !has.includes(field) && !NEUTRAL[field](extra[field]));
  if (lacking !== undefined)
    throw new ModelFault(
      'bad_request',
      `this provider does not support ${lacking}: leave it out, or use another model`,
      { field: lacking },
    );
  return Object.fromEntries(given.filter((field) => has.includes(field)).map((field) => [field, extra[field]]));
}

const EFFORTS: Readonly<Record<string, 'low' | 'medium' | 'high'>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
};

/** The effort in three steps; null for `none`, and undefined without one. Pure. */
export function effortOf({ reasoning_effort: effort }: ExtraFields): 'low' | 'medium' | 'high' | null | undefined {
  if (effort === undefined) return undefined;
  return EFFORTS[String(effort)] ?? null;
}
