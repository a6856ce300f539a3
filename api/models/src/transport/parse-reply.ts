import { z } from 'zod';
import { ModelFault } from '../chat/model-error.ts';

/** A number of tokens that a provider may omit. */
export const count = z.int().nonnegative().nullish();
/** Absent and null count as the empty text. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Parses a provider's message. A field of an unexpected type is a `bad_answer`; unknown fields are ignored. */
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
    const value: unknown = JSON.parse(written === '' ? '{}' : written);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The fallback follows below.
  }
  return { invalid_arguments: written };
}
