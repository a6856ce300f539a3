import { z } from 'zod';
import { ModelFault } from '../chat/model-error.ts';
import { parseExact } from './json-text.ts';

/** A number of tokens. Any other value counts as absent. */
export const count = z.int().nonnegative().nullish().catch(null);
/** Any other value counts as the empty text. */
export const text = z.string().catch('');
/** A name or an id, which some servers write as a number. */
export const word = z.union([z.string(), z.number().transform(String)]).catch('');
/** The arguments of a call: JSON text, or the object that some servers write instead. */
export const argumentsText = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value ?? undefined)) ?? '');

/** The entries of a list that have the form. A value without a list counts as its only entry, as some servers send it. */
export function listOf<T>(entry: z.ZodType<T>): z.ZodType<readonly T[]> {
  return z
    .unknown()
    .optional()
    .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((one) => entry.safeParse(one).data ?? []));
}

/** Parses a provider's message. A message of an unexpected form is a `bad_answer`; unknown fields are ignored. */
export function parseReply<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ModelFault(
    'bad_answer',
    `the provider sent a message of an unexpected form: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

/** The arguments of an earlier call as an object. Invalid JSON becomes the text of one field, so that the model sees what it wrote. */
export function objectOf({ arguments: written }: { readonly arguments: string }): unknown {
  try {
    const value = parseExact(written === '' ? '{}' : written);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The fallback follows below.
  }
  return { invalid_arguments: written };
}
