import type { AuthorType, ModerationNote, Post, PostStatus, Reply } from '@hamlet/contract';
import { type BoardViewer, maySeePost, maySeeReply } from './may-see.ts';

export interface CopyLimits {
  readonly threads: number;
  /** Maximum number of replies of a thread; the oldest are kept, because readers read them first. */
  readonly replies: number;
  /** Maximum memory of all threads in bytes, as `bytesOf` estimates it. */
  readonly bytes: number;
}

export const COPY_LIMITS: CopyLimits = { threads: 500, replies: 200, bytes: 24 << 20 };

/** Estimated memory of a post or reply without its text: 13,000 posts and replies of 300 characters took 22 MB. */
const ITEM_BYTES = 1_300;
const CHAR_BYTES = 2;

/** A post with its oldest replies, including hidden ones: readers of the copy check the viewer's permission. */
export interface CopiedThread {
  readonly post: Post;
  readonly replies: readonly Reply[];
  /** True if the post has more replies than `replies` contains. */
  readonly cut: boolean;
}

/** The newest threads, newest first, without a gap: no post outside the copy is newer than its last one. */
export interface BoardCopy {
  readonly threads: readonly CopiedThread[];
  /** True if the copy has all threads. */
  readonly whole: boolean;
}

/** A changed post or reply, as it is now; `reply` is null if only the post changed. */
export interface BoardChange {
  readonly post: Post;
  readonly reply: Reply | null;
}

function bytesOf({ post, replies }: CopiedThread): number {
  const ofItem = (chars: number): number => ITEM_BYTES + CHAR_BYTES * chars;
  return replies.reduce((sum, { body }) => sum + ofItem(body.length), ofItem(post.title.length + post.body.length));
}

function threadOf({ post, replies, cut }: CopiedThread, limits: CopyLimits): CopiedThread {
  return { post, replies: replies.slice(0, limits.replies), cut: cut || replies.length > limits.replies };
}

/** Keeps the newest threads that fit; in `known`, the newest come first. Pure. */
export function copyOf(known: BoardCopy, limits: CopyLimits): BoardCopy {
  const threads: CopiedThread[] = [];
  let bytes = 0;
  for (const thread of known.threads) {
    const kept = threadOf(thread, limits);
    bytes += bytesOf(kept);
    if (threads.length >= limits.threads || bytes > limits.bytes) return { threads, whole: false };
    threads.push(kept);
  }
  return { threads, whole: known.whole };
}

/** Null if the post is older than the threads of an incomplete copy. */
function newThread({ threads, whole }: BoardCopy, post: Post): CopiedThread | null {
  const oldest = threads.at(-1)?.post.post_id;
  const isOlder = !whole && (oldest === undefined || post.post_id < oldest);
  return isOlder ? null : { post, replies: [], cut: false };
}

/** Inserts or replaces a reply. A cut thread takes no reply after its last one: the copy lacks the replies between. */
function withReply(thread: CopiedThread, reply: Reply): CopiedThread {
  const { replies, cut } = thread;
  const position = replies.findIndex(({ reply_id: id }) => id >= reply.reply_id);
  if (position === -1) return cut ? thread : { ...thread, replies: [...replies, reply] };
  return {
    ...thread,
    replies: replies.toSpliced(position, Number(replies[position]?.reply_id === reply.reply_id), reply),
  };
}

/** Applies changes in the order of their events; a repeated change has no effect. Pure. */
export function changeCopy(copy: BoardCopy, changes: readonly BoardChange[], limits: CopyLimits): BoardCopy {
  const threads = new Map(copy.threads.map((thread) => [thread.post.post_id, thread]));
  for (const { post, reply } of changes) {
    const thread = threads.get(post.post_id) ?? newThread(copy, post);
    if (thread === null) continue;
    const changed = { ...thread, post };
    threads.set(post.post_id, reply === null ? changed : withReply(changed, reply));
  }
  const newestFirst = [...threads.values()].toSorted((one, other) => (one.post.post_id < other.post.post_id ? 1 : -1));
  return copyOf({ threads: newestFirst, whole: copy.whole }, limits);
}

export interface Hiding {
  readonly postId: string;
  /** Null if the post itself is hidden. */
  readonly replyId: string | null;
  readonly note: ModerationNote;
}

function hideInThread(thread: CopiedThread, { replyId, note }: Hiding): CopiedThread {
  const { post, replies } = thread;
  if (replyId === null) return { ...thread, post: { ...post, status: 'moderated', moderation: note } };
  const shown = replies.find(({ reply_id: id, status }) => id === replyId && status === 'shown');
  if (shown === undefined) return thread;
  return {
    ...thread,
    post: { ...post, replies: Math.max(0, post.replies - 1) },
    replies: replies.map((reply) => (reply === shown ? { ...reply, status: 'moderated', moderation: note } : reply)),
  };
}

export function hideInCopy({ threads, whole }: BoardCopy, hiding: Hiding): BoardCopy {
  return {
    threads: threads.map((thread) => (thread.post.post_id === hiding.postId ? hideInThread(thread, hiding) : thread)),
    whole,
  };
}

/** A post matches if it agrees with every field that is set here. */
export interface PostQuestion {
  readonly status?: PostStatus | undefined;
  readonly tag?: string | undefined;
  readonly audience?: string | undefined;
  readonly author?: string | undefined;
  readonly authorType?: AuthorType | undefined;
  readonly landmarkId?: string | undefined;
}

interface CopyPage<T> {
  readonly rows: readonly T[];
  /** The id of the last row if more rows follow, in the copy or perhaps in the database; otherwise null. */
  readonly next: string | null;
}

/** Null if an incomplete copy has no row, so only the database knows. The cursor reveals no id beyond the page. */
function pageOf<T>(
  found: readonly T[],
  { limit, complete, idOf }: { readonly limit: number; readonly complete: boolean; readonly idOf: (row: T) => string },
): CopyPage<T> | null {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length <= limit && complete) return { rows, next: null };
  return last === undefined ? null : { rows, next: idOf(last) };
}

function matches(post: Post, { status, tag, audience, author, authorType, landmarkId }: PostQuestion): boolean {
  const same: readonly (readonly [string | undefined, string | undefined])[] = [
    [status, post.status],
    [audience, post.audience],
    [author, post.author_id],
    [authorType, post.author_type],
    [landmarkId, post.place?.landmark_id ?? undefined],
  ];
  return (
    same.every(([wanted, is]) => wanted === undefined || wanted === is) &&
    (tag === undefined || post.tags.includes(tag))
  );
}

/** A page for a viewer, newest first; null if only the database can answer. Pure. */
export function listFromCopy(
  copy: BoardCopy,
  viewer: BoardViewer,
  asked: { readonly filter: PostQuestion; readonly before: string | null; readonly limit: number },
): CopyPage<Post> | null {
  const { filter, before, limit } = asked;
  const found = copy.threads.flatMap(({ post }) =>
    (before === null || post.post_id < before) && maySeePost(viewer, post) && matches(post, filter) ? [post] : [],
  );
  return pageOf(found, { limit, complete: copy.whole, idOf: ({ post_id: id }) => id });
}

/** Null if only the database can answer: hidden, older and unknown posts look the same. Pure. */
export function threadFromCopy(
  copy: BoardCopy,
  viewer: BoardViewer,
  asked: { readonly postId: string; readonly after: string | null; readonly limit: number },
): { readonly post: Post; readonly replies: CopyPage<Reply> } | null {
  const { postId, after, limit } = asked;
  const thread = copy.threads.find(({ post }) => post.post_id === postId);
  if (thread === undefined || !maySeePost(viewer, thread.post)) return null;
  const { post } = thread;
  const found = thread.replies.filter(
    (reply) => (after === null || reply.reply_id > after) && maySeeReply(viewer, post, reply),
  );
  const replies = pageOf(found, { limit, complete: !thread.cut, idOf: ({ reply_id: id }) => id });
  return replies === null ? null : { post, replies };
}
