import { z } from 'zod';
import { CopyNote } from './copy-note.ts';
import { Post, Reply } from './post.ts';

/** What happened on the board. */
export const BOARD_EVENT_KINDS = [
  'posted',
  'replied',
  'revised',
  'status',
  'hidden',
  'restored',
  'rewarded',
  'flagged',
] as const;
export const BoardEventKind = z.enum(BOARD_EVENT_KINDS);
export type BoardEventKind = z.infer<typeof BoardEventKind>;

/** Offsets grow within an epoch; what others may not see leaves gaps. */
const at = { epoch: z.string(), offset: z.int().min(0) };

/** Every socket begins with this, unless it resumes: the newest posts as of that offset. */
export const BoardSnapshot = z.strictObject({
  type: z.literal('snapshot'),
  ...at,
  posts: z.array(Post),
  copy: CopyNote.optional(),
});
export type BoardSnapshot = z.infer<typeof BoardSnapshot>;

/** Told before the snapshot where it was asked to resume and cannot: what the viewer has may be out of date. */
export const BoardReset = z.strictObject({ type: z.literal('reset'), ...at });
export type BoardReset = z.infer<typeof BoardReset>;

/** Something happened. `post` and `reply` are as they are now, in full; a `post` that is null cannot be seen (any more) by this viewer. */
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

/** Nothing was missed up to here. */
export const BoardMark = z.strictObject({ type: z.literal('mark'), ...at });
export type BoardMark = z.infer<typeof BoardMark>;

/** What `WS /ws/board` sends. `?after=EPOCH:OFFSET` resumes behind a message. */
export const BoardMessage = z.discriminatedUnion('type', [BoardSnapshot, BoardReset, BoardEvent, BoardMark]);
export type BoardMessage = z.infer<typeof BoardMessage>;
