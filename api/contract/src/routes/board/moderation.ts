import { z } from 'zod';
import { Decision, ModerationReason, ModerationText, AuthorType, Post, Reply } from '../../board/post.ts';
import { defineRoute, json } from '../../http/route.ts';
import { NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';

const Who = z.strictObject({ type: AuthorType, id: z.string(), name: z.string() });

/** A decision of a moderator. Only another decision can undo it. */
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

/** The weight depends on the role, tier and record of the flag's author. */
export const FlagRecord = z.strictObject({
  by: Who,
  reason: ModerationReason,
  note: z.string().nullable(),
  weight: z.int().min(0),
  at: Time,
});
export type FlagRecord = z.infer<typeof FlagRecord>;

/** A post or reply in the queue, with its open flags and its decisions, newest first. */
export const ModerationItem = z.strictObject({
  post: Post,
  reply: Reply.nullable(),
  weight: z.int().min(0),
  waiting_since: Time.nullable(),
  flags: z.array(FlagRecord),
  decisions: z.array(ModerationRecord),
});
export type ModerationItem = z.infer<typeof ModerationItem>;

const ReplyOfPost = z.uuid().nullable().default(null).describe('A reply to the post; null means the post itself');

export const flagPost = defineRoute('flagPost POST /board/posts/{post_id}/flags', {
  tag: 'board',
  summary: 'Flag a post or reply that should not be on the board; enough weight hides it until an admin decides',
  permission: 'board:write',
  body: z.strictObject({
    reason: ModerationReason,
    note: ModerationText.nullable().default(null),
    reply_id: ReplyOfPost,
  }),
  status: 201,
  answer: json(z.strictObject({ post_id: z.uuid(), reply_id: z.uuid().nullable(), hidden: z.boolean() })),
  reasons: ['stale_cycle', 'no_such_post', 'own_post', 'already_flagged', 'post_moderated', 'board_rate_limited'],
});

export const moderatePost = defineRoute('moderatePost POST /board/posts/{post_id}/moderate', {
  tag: 'board',
  summary: 'Hide or restore a post or reply, dismiss its flags, or undo the last decision; with a reason',
  audiences: ['people'],
  permission: 'board:moderate',
  body: z.strictObject({
    decision: Decision.default('hide'),
    reason: ModerationReason,
    note: ModerationText.nullable().default(null),
    reply_id: ReplyOfPost,
  }),
  answer: json(z.strictObject({ post: Post, reply: Reply.nullable(), moderation: ModerationRecord })),
  reasons: ['no_such_post', 'nothing_to_decide'],
});

export const listModeration = defineRoute('listModeration GET /board/moderation', {
  tag: 'board',
  summary: 'The moderation queue: undecided posts and replies, oldest first, or decided ones, newest first',
  audiences: ['people'],
  permission: 'board:moderate',
  query: z.strictObject({
    state: z.enum(['waiting', 'decided']).default('waiting'),
    ...paging({ max: 50, cursorChars: 1_024 }),
  }),
  answer: json(z.strictObject({ items: z.array(ModerationItem), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});
