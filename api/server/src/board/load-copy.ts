import type { Post, Reply } from '@hamlet/contract';
import { copyOf, type BoardChange, type BoardCopy, type CopiedThread, type CopyLimits } from '@hamlet/core';
import {
  boardRange,
  outboxWaits,
  readAs,
  readBoardEvents,
  readFirstReplies,
  readPosts,
  readSnapshotAs,
  VILLAGE,
} from '@hamlet/store';
import type { Db, PostRow, ReplyRow, Tx } from '@hamlet/store';
import { postView, replyView } from './post-view.ts';

const BATCH = 25;
const PAGE = 200;

// A copy omits the weight of flags: settling flags creates no event, so the copy could not keep the weight current.
// Only admins' decisions need the weight, and they need the database anyway.
const copiedPost = (row: PostRow): Post => postView({ ...row, flags: null });

const copiedReply = (row: ReplyRow): Reply => replyView({ ...row, flags: null });

async function readThreads(
  tx: Tx,
  page: { readonly before: string | null; readonly replies: number },
): Promise<{ readonly threads: readonly CopiedThread[]; readonly next: string | null }> {
  const { rows, next } = await readPosts(tx, {}, { before: page.before, limit: BATCH });
  const replies = Map.groupBy(
    await readFirstReplies(
      tx,
      rows.map(({ postId }) => postId),
      page.replies,
    ),
    ({ postId }) => postId,
  );
  return {
    threads: rows.map((row) => ({
      post: copiedPost(row),
      replies: (replies.get(row.postId) ?? []).map(copiedReply),
      cut: false,
    })),
    next,
  };
}

export function loadCopy(db: Db, limits: CopyLimits): Promise<{ readonly copy: BoardCopy; readonly offset: number }> {
  return readSnapshotAs(db, VILLAGE, async (tx) => {
    const { last: offset } = await boardRange(tx);
    const known: CopiedThread[] = [];
    for (let before: string | null = null; ;) {
      // Reads one reply more than the copy keeps, to find out whether there are more.
      const { threads, next } = await readThreads(tx, { before, replies: limits.replies + 1 });
      known.push(...threads);
      const copy = copyOf({ threads: known, whole: next === null }, limits);
      if (next === null || copy.threads.length < known.length) return { copy, offset };
      before = next;
    }
  });
}

interface ReadChanges {
  readonly changes: readonly BoardChange[];
  readonly offset: number;
  readonly current: boolean;
  readonly lost: boolean;
}

export function readChanges(db: Db, after: number): Promise<ReadChanges> {
  return readAs(db, VILLAGE, async (tx) => {
    // Read the outbox before the events: if it is empty, the events include everything that was written before.
    const waits = await outboxWaits(tx);
    const events = await readBoardEvents(tx, after, PAGE);
    return {
      changes: events.flatMap(({ post, reply }) =>
        post === null ? [] : [{ post: copiedPost(post), reply: reply === null ? null : copiedReply(reply) }],
      ),
      offset: events.at(-1)?.offset ?? after,
      current: !waits && events.length < PAGE,
      lost: events.length > 0 && events[0]?.offset !== after + 1,
    };
  });
}
