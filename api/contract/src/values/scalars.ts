import { z } from 'zod';
import { text } from '../kinds/text.ts';

/** An agent's id everywhere: the `metadata.name` of its custom resource. */
export const AgentId = z
  .string()
  .max(63)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    'write an agent id: lower case letters, digits and hyphens, for example ada',
  )
  .meta({ example: 'ada' });

export const AgentParams = z.strictObject({ agent_id: AgentId });

/** A tick is 100 ms of village time since the village began. */
export const Tick = z.int().min(0);
/** The number of an event of the world; it only grows. */
export const Seq = z.int().min(0);
/** RFC 3339, UTC. */
export const Time = z.iso.datetime();
/** A number in a query, where it is text. */
export const SeqQuery = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const LandmarkId = z.string().min(1).max(64);
/** Any JSON object; the body limit of a route bounds its size. */
export const JsonObject = z.record(z.string(), z.unknown());

/** The fields `cursor` and `limit` of a query for one page of a list, at most `max` rows. */
export function paging(
  max: number,
  { cursorChars = 256, limit = 20 }: { readonly cursorChars?: number; readonly limit?: number } = {},
): { cursor: z.ZodOptional<z.ZodString>; limit: z.ZodDefault<z.ZodCoercedNumber> } {
  return {
    cursor: z.string().max(cursorChars).optional(),
    limit: z.coerce.number().int().min(1).max(max).default(limit),
  };
}
/** Cursor of the next page; null on the last page. */
export const NEXT_CURSOR = { next_cursor: z.string().nullable() };

/** Text that Postgres and JSON can store: `min` to `max` code points, no NUL, no half of a surrogate pair. */
export function plainText(max: number, min = 1): z.ZodString {
  return text(max, min)
    .refine((value) => !value.includes('\u0000'), { message: 'the text has a NUL character: write it without' })
    .refine((value) => value.isWellFormed(), {
      message: 'the text has half of a surrogate pair: write whole characters',
    });
}
