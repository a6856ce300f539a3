import type { Post, Reply } from '@hamlet/contract';
import { copyOf } from '@hamlet/core';
import type { BoardChange, BoardCopy, CopiedThread, CopyLimits } from '@hamlet/core';
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
import { postView, replyView } from '../post-view.ts';

/** Posts that are read at one time, with their replies. */
const BATCH = 25;
/** Events that are read at one time. */
const PAGE = 200;

// The weight of flags is for deciding, which needs the database, and a decision that settles flags alone is no event: a copy leaves it out.
function copiedPost(row: PostRow): Post {
  return postView({ ...row, flags: null });
}

function copiedReply(row: ReplyRow): Reply {
  return replyView({ ...row, flags: null });
}

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

/** Reads the newest threads as of one moment, and the offset that they stand at. */
export function loadCopy(db: Db, limits: CopyLimits): Promise<{ readonly copy: BoardCopy; readonly offset: number }> {
  return readSnapshotAs(db, VILLAGE, async (tx) => {
    const { last: offset } = await boardRange(tx);
    const known: CopiedThread[] = [];
    for (let before: string | null = null; ;) {
      // One reply more than is kept tells that there are more.
      const { threads, next } = await readThreads(tx, { before, replies: limits.replies + 1 });
      known.push(...threads);
      const copy = copyOf({ threads: known, whole: next === null }, limits);
      if (next === null || copy.threads.length < known.length) return { copy, offset };
      before = next;
    }
  });
}

/** What happened behind an offset. */
export interface ReadChanges {
  readonly changes: readonly BoardChange[];
  readonly offset: number;
  /** Whether nothing that was committed before the reading is left out. */
  readonly current: boolean;
  /** Whether the events that follow on the offset are not there any more. */
  readonly lost: boolean;
}

/** Reads what happened behind an offset, a page of it. */
export function readChanges(db: Db, after: number): Promise<ReadChanges> {
  return readAs(db, VILLAGE, async (tx) => {
    // Asked first: what is written later than this is not waited for.
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
