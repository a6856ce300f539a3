import { z } from 'zod';
import { Time } from '../routes/scalars.ts';

/** Said of what a replica answers from its own copy while Postgres is away. An answer without it is of this moment. */
export const CopyNote = z
  .strictObject({
    as_of: Time.meta({ description: 'Everything that stood on the board at that time is considered' }),
    age_s: z.int().min(0).meta({ description: 'Seconds since then, as in the header Age' }),
  })
  .meta({ description: 'Only while the database is away: this is a copy, and how old it is' });
export type CopyNote = z.infer<typeof CopyNote>;
