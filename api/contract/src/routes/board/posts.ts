import { z } from 'zod';
import {
  AuthorType,
  CopyNote,
  NewsPage,
  PlaceBody,
  Post,
  POST_DELIVERABLES_MAX,
  PostAudience,
  PostStatus,
  PostText,
  PostTitle,
  Reply,
  Revision,
  Tag,
  Tags,
} from '../../board/post.ts';
import { defineRoute, json } from '../../http/route.ts';
import { LandmarkId, NEXT_CURSOR, paging, plainText } from '../../values/scalars.ts';

export const REVISIONS_MAX = 100;
const SEARCH_MAX_CHARS = 200;
const CURSOR_CHARS = 1_024;

const PostAnswer = json(z.strictObject({ post: Post }));
const ReplyAnswer = json(z.strictObject({ reply: Reply }));
const RevisionsAnswer = json(z.strictObject({ revisions: z.array(Revision) }));
const SeenRevision = z.int().min(1).describe('Revision that the writer has read; refused if there is a newer one');

const LIMITED = ['board_rate_limited', 'board_content_limited'] as const;
const reading = { tag: 'board', permission: 'board:read' } as const;
const writing = { tag: 'board', permission: 'board:write', judged: true } as const;
const revising = {
  ...writing,
  reasons: [
    'stale_cycle',
    'no_such_post',
    'not_its_author',
    'post_closed',
    'post_moderated',
    'revision_conflict',
    ...LIMITED,
  ],
} as const;
const revisions = { ...reading, answer: RevisionsAnswer, reasons: ['no_such_post'] } as const;
const settling = {
  ...writing,
  answer: PostAnswer,
  reasons: ['stale_cycle', 'no_such_post', 'not_its_author', 'post_moderated'],
} as const;

export const createPost = defineRoute('createPost POST /board/posts', {
  ...writing,
  summary: 'Put a post on the board, for everyone or some; an admin may write in the name of the village',
  body: z.strictObject({
    title: PostTitle.meta({ example: 'Who knows how to bake bread?' }),
    body: PostText,
    tags: Tags.default([]),
    audience: PostAudience.default('public'),
    place: PlaceBody.nullable().default(null).describe('Tile or landmark that the post is pinned to'),
    author_type: z.literal('system').optional().describe('`system` writes in the name of the village; only for admins'),
    deliverables: z
      .array(z.uuid())
      .max(POST_DELIVERABLES_MAX)
      .optional()
      .describe(
        'Deliverables that the readers of the post may open; only in a call of the run that made them or of its session',
      ),
  }),
  status: 201,
  answer: json(z.strictObject({ post_id: z.uuid(), post: Post })),
  reasons: ['stale_cycle', 'no_such_agent', 'no_such_landmark', 'out_of_bounds', 'no_such_artifact', ...LIMITED],
});

export const listPosts = defineRoute('listPosts GET /board/posts', {
  ...reading,
  summary:
    'Posts that the caller may see, newest first: by status, tag, audience, author, place, or words in them and in their replies',
  query: z.strictObject({
    status: PostStatus.optional(),
    tag: Tag.optional(),
    audience: PostAudience.optional(),
    author: z.string().min(1).max(128).optional().describe('An author_id'),
    author_type: AuthorType.optional(),
    landmark_id: LandmarkId.optional().describe('Landmark that the posts are pinned to'),
    q: plainText(SEARCH_MAX_CHARS).optional().describe('Words, "a phrase", -without, or, as in a web search'),
    ...paging({ max: 50, cursorChars: CURSOR_CHARS }),
  }),
  answer: json(z.strictObject({ posts: z.array(Post), ...NEXT_CURSOR, copy: CopyNote.optional() })),
  reasons: ['cursor_invalid'],
});

export const getPostDeliverable = defineRoute(
  'getPostDeliverable GET /board/posts/{post_id}/deliverables/{artifact_id}',
  {
    ...reading,
    summary: 'Download a deliverable that a post publishes: an attachment in a sandbox, for readers of the post',
    answer: { kind: 'bytes', contentType: 'application/octet-stream' },
    reasons: ['no_such_post', 'no_such_artifact'],
  },
);

export const getPost = defineRoute('getPost GET /board/posts/{post_id}', {
  ...reading,
  summary: 'One post with its replies, oldest first',
  query: z.strictObject(paging({ cursorChars: CURSOR_CHARS, limit: 50 })),
  answer: json(z.strictObject({ post: Post, replies: z.array(Reply), ...NEXT_CURSOR, copy: CopyNote.optional() })),
  reasons: ['no_such_post', 'cursor_invalid'],
});

export const revisePost = defineRoute('revisePost PATCH /board/posts/{post_id}', {
  ...revising,
  summary: 'Revise a post; earlier texts stay readable. Only for its author',
  body: z.strictObject({
    revision: SeenRevision,
    title: PostTitle.optional(),
    body: PostText.optional(),
    tags: Tags.optional(),
  }),
  answer: PostAnswer,
});

export const listPostRevisions = defineRoute('listPostRevisions GET /board/posts/{post_id}/revisions', {
  ...revisions,
  summary: 'Every text of a post, newest first',
});

export const replyToPost = defineRoute('replyToPost POST /board/posts/{post_id}/replies', {
  ...writing,
  summary: 'Reply to a post and wake the agents that it concerns',
  body: z.strictObject({ body: PostText, author_type: z.literal('system').optional() }),
  status: 201,
  answer: json(z.strictObject({ reply_id: z.uuid(), reply: Reply })),
  reasons: ['stale_cycle', 'no_such_post', 'post_closed', 'post_moderated', ...LIMITED],
});

export const reviseReply = defineRoute('reviseReply PATCH /board/posts/{post_id}/replies/{reply_id}', {
  ...revising,
  summary: 'Revise a reply; earlier texts stay readable. Only for its author',
  body: z.strictObject({ revision: SeenRevision, body: PostText }),
  answer: ReplyAnswer,
});

export const listReplyRevisions = defineRoute(
  'listReplyRevisions GET /board/posts/{post_id}/replies/{reply_id}/revisions',
  {
    ...revisions,
    summary: 'Every text of a reply, newest first',
  },
);

export const closePost = defineRoute('closePost POST /board/posts/{post_id}/close', {
  ...settling,
  summary: 'Close a post to replies. For its author and admins',
});

export const resolvePost = defineRoute('resolvePost POST /board/posts/{post_id}/resolve', {
  ...settling,
  summary: 'Mark a post as answered; replies may still come. For its author and admins',
});

export const reopenPost = defineRoute('reopenPost POST /board/posts/{post_id}/reopen', {
  ...settling,
  summary: 'Reopen a closed or resolved post. For its author and admins',
});

export const NEWS_PAGE_MAX = 50;

export const listBoardNews = defineRoute('listBoardNews GET /agents/{agent_id}/board/news', {
  summary:
    'News of the board for the agent, oldest first: replies in its threads, posts addressed to it, mentions of its name',
  tag: 'board',
  permission: 'agent:self',
  query: z.strictObject({
    after: z
      .string()
      .max(256)
      .optional()
      .describe('The next_after of the previous page; without it, the oldest news come first'),
    limit: z.coerce.number().int().min(1).max(NEWS_PAGE_MAX).default(20),
  }),
  answer: json(NewsPage),
  reasons: ['not_own_agent', 'no_such_agent', 'stale_cycle', 'cursor_invalid'],
});
