import { z } from 'zod';
import { ALL_REFUSALS } from './errors.ts';
import type { Refusal } from './errors.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** The one body of every refused request (RFC 9457). `code` is a key of REFUSALS; `detail` says what to do about this very request. */
export const Problem = z.strictObject({
  type: z.string().meta({ description: 'A relative link to the reason in the readable API page' }),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(ALL_REFUSALS as readonly [Refusal, ...Refusal[]]),
  request_id: z.string().meta({ description: 'Finds the request in the log' }),
  errors: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .optional()
    .meta({ description: 'With validation_failed: what to change and where' }),
  error: z
    .strictObject({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() })
    .optional()
    .meta({ description: 'Under /v1: the same as OpenAI says it' }),
});
export type Problem = z.infer<typeof Problem>;
