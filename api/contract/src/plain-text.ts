import type * as z from 'zod';
import { text } from './kinds/text.ts';

/** Text as Postgres and JSON can keep it: `min` to `max` code points, no NUL, no half of a surrogate pair. */
export function plainText(max: number, min = 1): z.ZodString {
  return text(max, min)
    .refine((value) => !value.includes('\u0000'), { message: 'write it without NUL characters' })
    .refine((value) => value.isWellFormed(), { message: 'write whole characters: half of a surrogate pair is in it' });
}
