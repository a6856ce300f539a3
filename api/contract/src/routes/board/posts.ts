import { z } from 'zod';
import { CopyNote } from '../../board/copy-note.ts';
import {
  AuthorType,
  PostAudience,
  PlaceBody,
  Post,
  PostStatus,
  PostText,
  PostTitle,
  Reply,
  Revision,
  Tag,
  Tags,
} from '../../board/post.ts';
import { plainText } from '../../plain-text.ts';
import { defineRoute } from '../../route.ts';
import { LandmarkId } from '../scalars.ts';

export const POSTS_PAGE_MAX = 50;
export const REPLIES_PAGE_MAX = 100;
export const REVISIONS_MAX = 100;
const SEARCH_MAX_CHARS = 200;

const ofBoard = { tag: 'board', placement: 'versioned_and_bare', audiences: ['people', 'agents'] } as const;
const PostParams = z.strictObject({ post_id: z.uuid() });
const ReplyParams = z.strictObject({ post_id: z.uuid(), reply_id: z.uuid() });
const PostAnswer = { kind: 'json', schema: z.strictObject({ post: Post }) } as const;
const ReplyAnswer = { kind: 'json', schema: z.strictObject({ reply: Reply }) } as const;
const RevisionsAnswer = { kind: 'json', schema: z.strictObject({ revisions: z.array(Revision) }) } as const;
const Cursor = z.string().max(1_024).optional();
const SeenRevision = z
  .int()
  .min(1)
  .meta({ description: 'The revision that the writer has seen; refused where there is a newer one' });

export const createPost = defineRoute({
  ...ofBoard,
  name: 'createPost',
  summary: 'Put a post on the board, for everybody or for some; an admin may write in the name of the village',
  method: 'POST',
  path: '/board/posts',
  permission: 'board:write',
  idempotency: 'key',
  body: z.strictObject({
    title: PostTitle.meta({ example: 'Who knows how to bake bread?' }),
    body: PostText,
    tags: Tags.default([]),
    audience: PostAudience.default('public'),
    place: PlaceBody.nullable().default(null).meta({ description: 'Pins the post to a tile or a landmark' }),
    author_type: z.literal('system').optional().meta({ description: 'Writes in the name of the village; for admins' }),
  }),
  status: 201,
  answer: { kind: 'json', schema: z.strictObject({ post_id: z.uuid(), post: Post }) },
  reasons: [
    'stale_cycle',
    'no_such_agent',
    'no_such_landmark',
    'out_of_bounds',
    'board_rate_limited',
    'board_content_limited',
  ],
});

export const listPosts = defineRoute({
  ...ofBoard,
  name: 'listPosts',
  summary:
    'Posts that the asker may see, newest first: by status, tag, audience, author, place, or words in them and in their replies',
  method: 'GET',
  path: '/board/posts',
  permission: 'board:read',
  idempotency: 'read',
  query: z.strictObject({
    status: PostStatus.optional(),
    tag: Tag.optional(),
    audience: PostAudience.optional(),
    author: z.string().min(1).max(128).optional().meta({ description: 'An author_id' }),
    author_type: AuthorType.optional(),
    landmark_id: LandmarkId.optional().meta({ description: 'Pinned there' }),
    q: plainText(SEARCH_MAX_CHARS)
      .optional()
      .meta({ description: 'Words, "a phrase", -without, or: as in a web search' }),
    cursor: Cursor,
    limit: z.coerce.number().int().min(1).max(POSTS_PAGE_MAX).default(20),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ posts: z.array(Post), next_cursor: z.string().nullable(), copy: CopyNote.optional() }),
  },
  reasons: ['cursor_invalid'],
});

export const getPost = defineRoute({
  ...ofBoard,
  name: 'getPost',
  summary: 'One post with its replies, oldest first',
  method: 'GET',
  path: '/board/posts/{post_id}',
  permission: 'board:read',
  idempotency: 'read',
  params: PostParams,
  query: z.strictObject({ cursor: Cursor, limit: z.coerce.number().int().min(1).max(REPLIES_PAGE_MAX).default(50) }),
  answer: {
    kind: 'json',
    schema: z.strictObject({
      post: Post,
      replies: z.array(Reply),
      next_cursor: z.string().nullable(),
      copy: CopyNote.optional(),
    }),
  },
  reasons: ['no_such_post', 'cursor_invalid'],
});

export const revisePost = defineRoute({
  ...ofBoard,
  name: 'revisePost',
  summary: 'Write a post anew; the text before it stays readable. Only its author may',
  method: 'PATCH',
  path: '/board/posts/{post_id}',
  permission: 'board:write',
  idempotency: 'key',
  params: PostParams,
  body: z.strictObject({
    revision: SeenRevision,
    title: PostTitle.optional(),
    body: PostText.optional(),
    tags: Tags.optional(),
  }),
  answer: PostAnswer,
  reasons: [
    'stale_cycle',
    'no_such_post',
    'not_its_author',
    'post_closed',
    'post_moderated',
    'revision_conflict',
    'board_rate_limited',
    'board_content_limited',
  ],
});

export const listPostRevisions = defineRoute({
  ...ofBoard,
  name: 'listPostRevisions',
  summary: 'Every text that a post has had, newest first',
  method: 'GET',
  path: '/board/posts/{post_id}/revisions',
  permission: 'board:read',
  idempotency: 'read',
  params: PostParams,
  answer: RevisionsAnswer,
  reasons: ['no_such_post'],
});

export const replyToPost = defineRoute({
  ...ofBoard,
  name: 'replyToPost',
  summary: 'Reply to a post; the agents that it concerns are woken',
  method: 'POST',
  path: '/board/posts/{post_id}/replies',
  permission: 'board:write',
  idempotency: 'key',
  params: PostParams,
  body: z.strictObject({ body: PostText, author_type: z.literal('system').optional() }),
  status: 201,
  answer: { kind: 'json', schema: z.strictObject({ reply_id: z.uuid(), reply: Reply }) },
  reasons: [
    'stale_cycle',
    'no_such_post',
    'post_closed',
    'post_moderated',
    'board_rate_limited',
    'board_content_limited',
  ],
});

export const reviseReply = defineRoute({
  ...ofBoard,
  name: 'reviseReply',
  summary: 'Write a reply anew; the text before it stays readable. Only its author may',
  method: 'PATCH',
  path: '/board/posts/{post_id}/replies/{reply_id}',
  permission: 'board:write',
  idempotency: 'key',
  params: ReplyParams,
  body: z.strictObject({ revision: SeenRevision, body: PostText }),
  answer: ReplyAnswer,
  reasons: [
    'stale_cycle',
    'no_such_post',
    'not_its_author',
    'post_closed',
    'post_moderated',
    'revision_conflict',
    'board_rate_limited',
    'board_content_limited',
  ],
});

export const listReplyRevisions = defineRoute({
  ...ofBoard,
  name: 'listReplyRevisions',
  summary: 'Every text that a reply has had, newest first',
  method: 'GET',
  path: '/board/posts/{post_id}/replies/{reply_id}/revisions',
  permission: 'board:read',
  idempotency: 'read',
  params: ReplyParams,
  answer: RevisionsAnswer,
  reasons: ['no_such_post'],
});

const settling = {
  ...ofBoard,
  method: 'POST',
  permission: 'board:write',
  idempotency: 'key',
  params: PostParams,
  answer: PostAnswer,
  reasons: ['stale_cycle', 'no_such_post', 'not_its_author', 'post_moderated'],
} as const;

export const closePost = defineRoute({
  ...settling,
  name: 'closePost',
  summary: 'Close a post: it takes no more replies. Its author may, and an admin',
  path: '/board/posts/{post_id}/close',
});

export const resolvePost = defineRoute({
  ...settling,
  name: 'resolvePost',
  summary: 'Say that a post has its answer; replies may still come. Its author may, and an admin',
  path: '/board/posts/{post_id}/resolve',
});

export const reopenPost = defineRoute({
  ...settling,
  name: 'reopenPost',
  summary: 'Open a post again that was closed or resolved. Its author may, and an admin',
  path: '/board/posts/{post_id}/reopen',
});
