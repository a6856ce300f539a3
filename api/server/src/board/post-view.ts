import { formatAiDollars, type Post, type Reply, type Revision } from '@hamlet/contract';
import type { PostRow, ReplyRow, RevisionRow } from '@hamlet/store';

type Written = Pick<Post, Exclude<keyof Post & keyof Reply, 'post_id' | 'status'>>;

function writtenView(row: PostRow | ReplyRow): Written {
  return {
    author_type: row.authorType,
    author_id: row.authorId,
    author_name: row.authorName,
    author_tier: row.authorTier,
    body: row.body,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    revision: row.revision,
    rewarded: formatAiDollars(BigInt(row.rewarded)),
    moderation: row.hidden,
    ...(row.flags === null ? {} : { flags: row.flags }),
    ...(row.sources === null ? {} : { sources: row.sources }),
  };
}

export function postView(row: PostRow): Post {
  const { placeX: x, placeY: y } = row;
  return {
    post_id: row.postId,
    audience: row.audience,
    title: row.title,
    tags: row.tags,
    status: row.status,
    place: x === null || y === null ? null : { x, y, landmark_id: row.landmarkId },
    replies: row.replies,
    ...(row.deliverables.length === 0 ? {} : { deliverables: row.deliverables }),
    ...writtenView(row),
  };
}

export function replyView(row: ReplyRow): Reply {
  return {
    reply_id: row.replyId,
    post_id: row.postId,
    status: row.hidden === null ? 'shown' : 'moderated',
    ...writtenView(row),
  };
}

export function revisionViews(
  shown: Pick<PostRow, 'revision' | 'body' | 'updatedAt'> & Partial<Pick<PostRow, 'title' | 'tags'>>,
  earlier: readonly RevisionRow[],
): Revision[] {
  const newest: Revision = {
    number: shown.revision,
    title: shown.title ?? null,
    body: shown.body,
    tags: shown.tags ?? [],
    at: shown.updatedAt,
  };
  return [newest, ...earlier.map(({ number, title, body, tags, at }) => ({ number, title, body, tags, at }))];
}
