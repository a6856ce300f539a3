import type { z } from 'zod';
import { ModelFault } from '../chat/model-error.ts';

/** Parses a provider's message. A field of an unexpected type is a `bad_answer`; unknown fields are ignored. */
export function parseReply<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ModelFault(
    'bad_answer',
    `the provider sent a message of another form: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}
