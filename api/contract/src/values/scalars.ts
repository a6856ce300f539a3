import { z } from 'zod';
import { text } from '../kinds/text.ts';
import { wellFormed } from './well-formed.ts';

/** The `metadata.name` of the custom resource. */
export const AgentId = z
  .string()
  .max(63)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    'write an agent id: lower case letters, digits and hyphens, for example ada',
  )
  .meta({ example: 'ada' });

/** Village time since the village began, in units of 100 ms. */
export const Tick = z.int().min(0);
/** The number of a world event; numbers only grow. */
export const Seq = z.int().min(0);
/** A time in UTC. */
export const Time = z.iso.datetime();
export const SeqQuery = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const LandmarkId = z.string().min(1).max(64);
/** The body limit of a route bounds its size. */
export const JsonObject = z.record(z.string(), z.unknown());

/** Rows of a page: at most `max`, by default `limit`. */
export function paging({ max = 100, limit = 20, cursorChars = 256 } = {}) {
  return {
    cursor: z.string().max(cursorChars).optional(),
    limit: z.coerce.number().int().min(1).max(max).default(limit),
  };
}
/** The cursor of the next page; null on the last page. */
export const NEXT_CURSOR = { next_cursor: z.string().nullable() };

/** Text that Postgres and JSON can store: a NUL is refused, a half of a pair repaired. Its length counts code points. */
export function plainText(max: number, min = 1): z.ZodString {
  return text(max, min)
    .refine((value) => !value.includes('\u0000'), { message: 'the text has a NUL character: write it without' })
    .overwrite(wellFormed);
}

/** Behaviour if another field manager, for example a GitOps tool, owns a changed field. */
export const OnConflictQuery = z.strictObject({ on_conflict: z.enum(['refuse', 'take_over']).default('refuse') });
