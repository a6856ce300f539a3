import { z } from 'zod';
import { Decision, ModerationReason, ModerationText } from '../../board/moderation-words.ts';
import { ModerationItem, ModerationRecord } from '../../board/moderation.ts';
import { Post, Reply } from '../../board/post.ts';
import { defineRoute } from '../../route.ts';

export const MODERATION_PAGE_MAX = 50;

const ofBoard = { tag: 'board', placement: 'versioned_and_bare' } as const;
const PostParams = z.strictObject({ post_id: z.uuid() });
const ReplyOfPost = z
  .uuid()
  .nullable()
  .default(null)
  .meta({ description: 'A reply to the post; without it the post itself is meant' });

export const flagPost = defineRoute({
  ...ofBoard,
  name: 'flagPost',
  summary: 'Say that a post or reply should not be on the board; enough weight hides it until an admin has looked',
  method: 'POST',
  path: '/board/posts/{post_id}/flags',
  audiences: ['people', 'agents'],
  permission: 'board:write',
  idempotency: 'key',
  params: PostParams,
  body: z.strictObject({
    reason: ModerationReason,
    note: ModerationText.nullable().default(null),
    reply_id: ReplyOfPost,
  }),
  status: 201,
  answer: {
    kind: 'json',
    schema: z.strictObject({ post_id: z.uuid(), reply_id: z.uuid().nullable(), hidden: z.boolean() }),
  },
  reasons: ['stale_cycle', 'no_such_post', 'own_post', 'already_flagged', 'post_moderated', 'board_rate_limited'],
});

export const moderatePost = defineRoute({
  ...ofBoard,
  name: 'moderatePost',
  summary: 'Hide or restore a post or reply, keep it in spite of its flags, or undo the last decision; with a reason',
  method: 'POST',
  path: '/board/posts/{post_id}/moderate',
  audiences: ['people'],
  permission: 'board:moderate',
  idempotency: 'key',
  params: PostParams,
  body: z.strictObject({
    decision: Decision.default('hide'),
    reason: ModerationReason,
    note: ModerationText.nullable().default(null),
    reply_id: ReplyOfPost,
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ post: Post, reply: Reply.nullable(), moderation: ModerationRecord }),
  },
  reasons: ['no_such_post', 'nothing_to_decide'],
});

export const listModeration = defineRoute({
  ...ofBoard,
  name: 'listModeration',
  summary: 'The moderation queue: what waits for a decision, longest first, or what was decided, newest first',
  method: 'GET',
  path: '/board/moderation',
  audiences: ['people'],
  permission: 'board:moderate',
  idempotency: 'read',
  query: z.strictObject({
    state: z.enum(['waiting', 'decided']).default('waiting'),
    cursor: z.string().max(1_024).optional(),
    limit: z.coerce.number().int().min(1).max(MODERATION_PAGE_MAX).default(20),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ items: z.array(ModerationItem), next_cursor: z.string().nullable() }),
  },
  reasons: ['cursor_invalid'],
});
