import type { AuthorType, Post, PostStatus, Reply } from '@hamlet/contract';
import type { BoardCopy } from './board-copy.ts';
import { maySeePost, maySeeReply } from './may-see.ts';
import type { BoardViewer } from './may-see.ts';

/** Which posts are asked for, by what each of them says of itself. */
export interface PostQuestion {
  readonly status?: PostStatus | undefined;
  readonly tag?: string | undefined;
  readonly audience?: string | undefined;
  readonly author?: string | undefined;
  readonly authorType?: AuthorType | undefined;
  readonly landmarkId?: string | undefined;
}

export interface CopyPage<T> {
  readonly rows: readonly T[];
  /** The id of the last row where there are more, or may be: behind what the copy holds. */
  readonly next: string | null;
}

/** A page of what was found; null where all of it would lie behind what the copy holds. The cursor is of a row that is shown: no other id leaves. */
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

/** A page of the posts that a viewer may see, newest first, as the database would answer; null where the copy cannot tell. Pure. */
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

/**
 * A post that a viewer may see, with a page of its replies, oldest first; null where the copy cannot tell. It never says that there is no such post:
 * one that is hidden, one that is older and one that never was look the same. Pure.
 */
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
