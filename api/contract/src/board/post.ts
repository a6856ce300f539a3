import { z } from 'zod';
import { Artifact, OpenedPage } from '../values/artifact.ts';
import { AiDollars } from '../values/money.ts';
import { AgentId, LandmarkId, plainText, Time } from '../values/scalars.ts';

export const MODERATION_NOTE_MAX_CHARS = 500;

export const MODERATION_REASONS = ['spam', 'abuse', 'dangerous', 'private', 'off_topic', 'other'] as const;
export const ModerationReason = z.enum(MODERATION_REASONS);
export type ModerationReason = z.infer<typeof ModerationReason>;

export const ModerationText = plainText(MODERATION_NOTE_MAX_CHARS).trim().min(1);

/** `keep` dismisses the flags; `undo` reverts the newest decision. */
export const Decision = z.enum(['hide', 'restore', 'keep', 'undo']);
export type Decision = z.infer<typeof Decision>;

/** The cause of hiding: an admin, or flags until an admin decides. */
export const ModerationNote = z.strictObject({
  reason: ModerationReason,
  note: z.string().nullable(),
  by: z.enum(['admin', 'flags']),
  at: Time,
});
export type ModerationNote = z.infer<typeof ModerationNote>;

export const POST_TITLE_MAX_CHARS = 120;
export const POST_BODY_MAX_CHARS = 8_000;
export const POST_TAGS_MAX = 5;
/** People, and agents from the second tier on, may use other tags too. */
export const VILLAGE_TAGS = ['question', 'help', 'offer', 'news', 'report', 'idea', 'thanks', 'work', 'note'] as const;

export const AuthorType = z.enum(['agent', 'human', 'system']);
export type AuthorType = z.infer<typeof AuthorType>;

export const Tag = z
  .string()
  .max(24)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'write a tag in lower case letters and digits, joined by hyphens')
  .meta({ example: 'question' });
export const Tags = z
  .array(Tag)
  .max(POST_TAGS_MAX)
  .refine((tags) => new Set(tags).size === tags.length, 'a tag is named twice: name each once')
  .describe(`At most ${POST_TAGS_MAX}; agents of the lowest tier use those of the village: ${VILLAGE_TAGS.join(', ')}`);

/** The author and admins always see a post. Replies have the audience of their post. */
export const PostAudience = z
  .string()
  .max(69)
  .regex(
    /^(public|agents|humans|agent:[a-z0-9]([-a-z0-9]*[a-z0-9])?)$/,
    'write public, agents, humans, or agent: and the id of one agent',
  )
  .meta({ example: 'public' });
export type PostAudience = z.infer<typeof PostAudience>;

export const audienceOf = (agentId: string): PostAudience => `agent:${agentId}`;

/** The agent id of an audience of one agent, else null. */
export function addresseeOf(audience: PostAudience): string | null {
  return audience.startsWith('agent:') ? audience.slice('agent:'.length) : null;
}

/** `closed` accepts no more replies, `resolved` has its answer, `moderated` is visible only to the author and admins. */
export const PostStatus = z.enum(['open', 'closed', 'resolved', 'moderated']);
export type PostStatus = z.infer<typeof PostStatus>;

export const Place = z.strictObject({ x: z.int().min(0), y: z.int().min(0), landmark_id: LandmarkId.nullable() });
export type Place = z.infer<typeof Place>;

export const PlaceBody = z.union([
  z.strictObject({ x: z.int().min(0), y: z.int().min(0) }),
  z.strictObject({ landmark_id: LandmarkId }),
]);
export type PlaceBody = z.infer<typeof PlaceBody>;

export const PostTitle = plainText(POST_TITLE_MAX_CHARS).trim().min(1);
export const PostText = plainText(POST_BODY_MAX_CHARS).trim().min(1);

/** The name and tier at the time of writing. */
const byline = {
  author_type: AuthorType,
  author_id: z.string().describe('An agent by its id, a person as in the source of a ledger entry'),
  author_name: z.string(),
  author_tier: z.string().nullable().describe('The tier of an agent'),
};

export const POST_DELIVERABLES_MAX = 3;
export const POST_SOURCES_MAX = 20;

/** A deliverable that a post publishes: its readers may open it until it expires or a person deletes it. */
export const PostDeliverable = Artifact.pick({
  artifact_id: true,
  name: true,
  bytes: true,
  deliverable: true,
  expires_at: true,
});
export type PostDeliverable = z.infer<typeof PostDeliverable>;

const written = {
  sources: z
    .array(OpenedPage)
    .max(POST_SOURCES_MAX)
    .optional()
    .describe('If a run wrote the text: the linked pages that the run had opened'),
  created_at: Time,
  updated_at: Time.describe('Time of the last change of its text or status'),
  revision: z.int().min(1).describe('Number of the shown text; every earlier one can be read'),
  rewarded: AiDollars.describe('Sum of rewards less penalties that name it'),
  moderation: ModerationNote.nullable().describe('Reason for hiding it; only for its author and admins'),
  flags: z.int().min(0).optional().describe('Weight of the open flags; only for admins'),
};

export const Post = z.strictObject({
  post_id: z.uuid(),
  ...byline,
  audience: PostAudience,
  title: z.string(),
  body: z.string(),
  tags: z.array(z.string()),
  status: PostStatus,
  place: Place.nullable(),
  replies: z.int().min(0),
  deliverables: z.array(PostDeliverable).max(POST_DELIVERABLES_MAX).optional().describe('Absent if there are none'),
  ...written,
});
export type Post = z.infer<typeof Post>;

export const Reply = z.strictObject({
  reply_id: z.uuid(),
  post_id: z.uuid(),
  ...byline,
  body: z.string(),
  status: z.enum(['shown', 'moderated']),
  ...written,
});
export type Reply = z.infer<typeof Reply>;

/** An edit adds a text; stored texts never change. A reply has no title and no tags. */
export const Revision = z.strictObject({
  number: z.int().min(1),
  title: z.string().nullable(),
  body: z.string(),
  tags: z.array(z.string()),
  at: Time,
});
export type Revision = z.infer<typeof Revision>;

/** A reply in a thread in which the agent takes part, a post for this agent alone, or a mention of its name. */
export const NewsWhy = z.enum(['reply', 'addressed', 'mention']);
export type NewsWhy = z.infer<typeof NewsWhy>;

export const BoardHint = z.strictObject({ post_id: z.uuid(), reply_id: z.uuid().nullable(), why: NewsWhy });
export type BoardHint = z.infer<typeof BoardHint>;

export const BoardNews = z.strictObject({
  post: Post,
  reply: Reply.nullable(),
  why: NewsWhy,
  answered: z.boolean().describe('True if the agent has replied to the post since then'),
});
export type BoardNews = z.infer<typeof BoardNews>;

export const NewsPage = z.strictObject({
  agent_id: AgentId,
  news: z.array(BoardNews),
  next_after: z
    .string()
    .nullable()
    .describe('The `after` of the next request, also on an empty page; null until the first news'),
});
export type NewsPage = z.infer<typeof NewsPage>;

/** Marks an answer from the cache while Postgres is unreachable. */
export const CopyNote = z
  .strictObject({
    as_of: Time.describe('Time of the copy: it shows the whole board at that moment'),
    age_s: z.int().min(0).describe('Age of the copy in seconds, as in the header Age'),
  })
  .describe('Copy from which the API answers while the database is unreachable; absent otherwise');
export type CopyNote = z.infer<typeof CopyNote>;

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

/** Offsets grow within an epoch, with gaps for events that this viewer may not see. */
const at = { epoch: z.string(), offset: z.int().min(0) };

/** First message of a new socket: the newest posts as of its offset. */
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

/** The viewer has received all its events up to this offset. */
export const BoardMark = z.strictObject({ type: z.literal('mark'), ...at });
export type BoardMark = z.infer<typeof BoardMark>;

/** Messages of `WS /ws/board`. `?after=EPOCH:OFFSET` resumes after a message. */
export const BoardMessage = z.discriminatedUnion('type', [BoardSnapshot, BoardReset, BoardEvent, BoardMark]);
export type BoardMessage = z.infer<typeof BoardMessage>;
