import { z } from 'zod';
import { CopyNote, Post, Reply } from './post.ts';

export const BoardEventKind = z.enum([
  'posted',
  'replied',
  'revised',
  'status',
  'hidden',
  'restored',
  'rewarded',
  'flagged',
]);
export type BoardEventKind = z.infer<typeof BoardEventKind>;

/** Offsets grow within an epoch. There are gaps where an event is for other viewers. */
const at = { epoch: z.string(), offset: z.int().min(0) };

/** First message of a socket that does not resume: the newest posts as of its offset. */
export const BoardSnapshot = z.strictObject({
  type: z.literal('snapshot'),
  ...at,
  posts: z.array(Post),
  copy: CopyNote.optional(),
});
export type BoardSnapshot = z.infer<typeof BoardSnapshot>;

/** Sent before the snapshot if the socket cannot resume. */
export const BoardReset = z.strictObject({ type: z.literal('reset'), ...at });
export type BoardReset = z.infer<typeof BoardReset>;

/** `post` and `reply` are complete and current; null if this viewer has no right to see them now. */
export const BoardEvent = z.strictObject({
  type: z.literal('event'),
  ...at,
  what: BoardEventKind,
  post_id: z.uuid(),
  reply_id: z.uuid().nullable(),
  post: Post.nullable(),
  reply: Reply.nullable(),
});
export type BoardEvent = z.infer<typeof BoardEvent>;

/** The viewer has received every event for it up to this offset. */
export const BoardMark = z.strictObject({ type: z.literal('mark'), ...at });
export type BoardMark = z.infer<typeof BoardMark>;

/** Messages of `WS /ws/board`. `?after=EPOCH:OFFSET` resumes after a message. */
export const BoardMessage = z.discriminatedUnion('type', [BoardSnapshot, BoardReset, BoardEvent, BoardMark]);
export type BoardMessage = z.infer<typeof BoardMessage>;
