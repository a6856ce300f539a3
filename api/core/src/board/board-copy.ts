import type { ModerationNote, Post, Reply } from '@hamlet/contract';

/** How much of the board a copy holds. */
export interface CopyLimits {
  readonly threads: number;
  /** Of one thread; its oldest, since they are read first. */
  readonly replies: number;
  /** About what all of it takes in memory. */
  readonly bytes: number;
}

export const COPY_LIMITS: CopyLimits = { threads: 500, replies: 200, bytes: 24 << 20 };

/** About what a post or reply takes besides its text: 13,000 with 300 characters each took 22 MB. */
const ITEM_BYTES = 1_300;
const CHAR_BYTES = 2;

/** A post with its oldest replies, as nobody may see it yet: who may is asked where it is read. */
export interface CopiedThread {
  readonly post: Post;
  readonly replies: readonly Reply[];
  /** Whether there are replies behind those. */
  readonly cut: boolean;
}

/** The newest threads of the board, newest first. Every post that is newer than the last of them is among them. */
export interface BoardCopy {
  readonly threads: readonly CopiedThread[];
  /** Whether there are no older ones. */
  readonly whole: boolean;
}

/** A post or reply as it has become; of a post alone `reply` is null. */
export interface BoardChange {
  readonly post: Post;
  readonly reply: Reply | null;
}

function bytesOf({ post, replies }: CopiedThread): number {
  const ofItem = (chars: number): number => ITEM_BYTES + CHAR_BYTES * chars;
  return replies.reduce((sum, { body }) => sum + ofItem(body.length), ofItem(post.title.length + post.body.length));
}

/** A thread of all the replies that are known. */
function threadOf({ post, replies, cut }: CopiedThread, limits: CopyLimits): CopiedThread {
  return { post, replies: replies.slice(0, limits.replies), cut: cut || replies.length > limits.replies };
}

/** A copy of threads that are given newest first: as many as the limits allow. Pure. */
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

/** Where a thread hangs that is not in the copy: null where it is older than what the copy holds. */
function newThread({ threads, whole }: BoardCopy, post: Post): CopiedThread | null {
  const oldest = threads.at(-1)?.post.post_id;
  const isOlder = !whole && (oldest === undefined || post.post_id < oldest);
  return isOlder ? null : { post, replies: [], cut: false };
}

/** Puts a reply in its place. Behind the last of a thread that was cut it stays out: those before it are not known. */
function withReply(thread: CopiedThread, reply: Reply): CopiedThread {
  const { replies, cut } = thread;
  const position = replies.findIndex(({ reply_id: id }) => id >= reply.reply_id);
  if (position === -1) return cut ? thread : { ...thread, replies: [...replies, reply] };
  return {
    ...thread,
    replies: replies.toSpliced(position, Number(replies[position]?.reply_id === reply.reply_id), reply),
  };
}

/** The copy after changes, in the order of their events: each says how the post and reply are by now, and saying it twice changes nothing. Pure. */
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

/** Something that was hidden, and why. */
export interface Hiding {
  readonly postId: string;
  /** Null where it is the post. */
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

/** The copy once something is hidden. Pure. */
export function hideInCopy({ threads, whole }: BoardCopy, hiding: Hiding): BoardCopy {
  return {
    threads: threads.map((thread) => (thread.post.post_id === hiding.postId ? hideInThread(thread, hiding) : thread)),
    whole,
  };
}
