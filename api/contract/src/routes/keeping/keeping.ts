import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Time } from '../../values/scalars.ts';

/**
 * When rows are deleted: never, by age, beyond a number, with the object that they belong to; or `state`: one row for
 * each existing object.
 */
export const KEPT_UNTIL = ['permanent', 'age', 'count', 'owner', 'state'] as const;

export const KeptThing = z.object({
  id: z.string().max(64),
  title: z.string().max(64),
  until: z.enum(KEPT_UNTIL),
  rule: z.string().max(400).describe('How long the rows stay, as a sentence'),
  days: z.number().int().min(1).nullable().describe('Days, if the rule has a number of days; null if it has none'),
  setting: z.string().max(64).nullable().describe('Value of the chart that changes the days'),
  deleted_by: z.string().max(64).nullable().describe('Job or act that deletes rows; null if none does'),
  tables: z.array(z.string().max(128)).max(32),
  rows: z.number().int().min(0).describe('Estimate of the database'),
  bytes: z.number().int().min(0).describe('On the disk, with indexes'),
});
export type KeptThing = z.infer<typeof KeptThing>;

/** Problems of the archive: a base backup failed, segments were lost, it is full. */
const ARCHIVE_PROBLEMS = ['backup', 'gap', 'full'] as const;

export const Archive = z.object({
  reported_at: Time,
  base_at: Time.nullable().describe('End of the newest base backup'),
  earliest: Time.nullable().describe('The village can be restored to every second from here ...'),
  latest: Time.nullable().describe('... to here; null until the archive has a base backup and a segment after it'),
  bytes: z.number().int().min(0),
  limit_bytes: z.number().int().min(1),
  days: z.number().int().min(1).describe('Days that it reaches back, if there is room'),
  problem: z.enum(ARCHIVE_PROBLEMS).nullable(),
});
export type Archive = z.infer<typeof Archive>;

export const Keeping = z.object({
  at: Time,
  archive: Archive.nullable().describe('Archive of the database for restores to a second; null if none is kept'),
  database_bytes: z.number().int().min(0).describe('On the disk, with the catalogs of Postgres'),
  things: z.array(KeptThing).max(128),
});
export type Keeping = z.infer<typeof Keeping>;

export const getKeeping = defineRoute('getKeeping GET /keeping', {
  tag: 'service',
  summary: 'Everything that the database keeps: how long, how much, and what deletes it',
  permission: 'audit:read',
  answer: json(Keeping),
});
