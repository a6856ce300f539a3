import { z } from 'zod';
import { Time } from '../routes/scalars.ts';
import { Decision, ModerationReason } from './moderation-words.ts';
import { AuthorType, Post, Reply } from './post.ts';

const Who = z.strictObject({ type: AuthorType, id: z.string(), name: z.string() });

/** One decision about a post or reply; decisions are never changed, only undone by another. */
export const ModerationRecord = z.strictObject({
  moderation_id: z.uuid(),
  decision: Decision,
  reason: ModerationReason,
  note: z.string().nullable(),
  by: Who,
  at: Time,
  undone: z.boolean(),
});
export type ModerationRecord = z.infer<typeof ModerationRecord>;

/** One flag. Its weight is that of whoever raised it, by role, tier and record. */
export const FlagRecord = z.strictObject({
  by: Who,
  reason: ModerationReason,
  note: z.string().nullable(),
  weight: z.int().min(0),
  at: Time,
});
export type FlagRecord = z.infer<typeof FlagRecord>;

/** One line of the queue: what it is about, the flags that wait, and what was decided, newest first. */
export const ModerationItem = z.strictObject({
  post: Post,
  reply: Reply.nullable(),
  weight: z.int().min(0),
  waiting_since: Time.nullable(),
  flags: z.array(FlagRecord),
  decisions: z.array(ModerationRecord),
});
export type ModerationItem = z.infer<typeof ModerationItem>;
