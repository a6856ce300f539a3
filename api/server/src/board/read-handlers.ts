import { REVISIONS_MAX, type getPost, type listBoardNews, type listPosts } from '@hamlet/contract';
import { listFromCopy, threadFromCopy } from '@hamlet/core';
import {
  findPost,
  findReply,
  readArtifactContent,
  readAs,
  readPosts,
  readNews,
  readReplies,
  readRevisions,
} from '@hamlet/store';
import type { PostFilter } from '@hamlet/store';
import { z } from 'zod';
import { plain, type DataOf, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { attachmentHeaders } from '../artifacts/safe-headers.ts';
import { postView, replyView, revisionViews } from './post-view.ts';
import { viewerOf } from './author-of.ts';
import { pageCursor } from '../http/page-cursor.ts';
import type { Village } from '../village.ts';

const pages = pageCursor(z.uuid());
const newsPages = pageCursor(z.strictObject({ epoch: z.string(), offset: z.int().min(0) }));

const LIST_LACKING = 'The database is unreachable, and the copy of the newest posts has none of these; try again';
const SEARCH_LACKING =
  'The database is unreachable, and only it can search for words; list posts without q, or try again';
const THREAD_LACKING =
  'The database is unreachable, and the copy of the newest posts has no such post that you may read; try again';

export function nextCursor(question: string, next: string | null): string | null {
  return next === null ? null : pages.write(question, next);
}

export function readBoardCursor(cursor: string | undefined, question: string): string | null | undefined {
  return pages.read(cursor, question);
}

type Listed = DataOf<typeof listPosts>;
type Thread = DataOf<typeof getPost>;

function list(
  { query, actor, now }: RequestOf<typeof listPosts>,
  { db, board }: Village,
): Promise<Outcome<Listed>> | Refused {
  const {
    cursor,
    limit,
    landmark_id: landmarkId,
    author_type: authorType,
    q: search,
    status,
    tag,
    audience,
    author,
  } = query;
  const filter: PostFilter = { status, tag, audience, author, authorType, landmarkId, search };
  const question = JSON.stringify(Object.values(filter));
  const before = readBoardCursor(cursor, question);
  if (before === undefined) return refused('cursor_invalid');
  const viewer = viewerOf(actor);
  return board.read<Listed>({
    now,
    live: async () => {
      const { rows, next } = await readAs(db, viewer, (tx) => readPosts(tx, filter, { before, limit }));
      return accepted({ posts: rows.map(postView), next_cursor: nextCursor(question, next) });
    },
    copied: (copy) => {
      const page = search === undefined ? listFromCopy(copy, viewer, { filter, before, limit }) : null;
      return page === null ? null : { posts: [...page.rows], next_cursor: nextCursor(question, page.next) };
    },
    lacking: search === undefined ? LIST_LACKING : SEARCH_LACKING,
  });
}

function readThread(
  { params: { post_id: postId }, query: { cursor, limit }, actor, now }: RequestOf<typeof getPost>,
  { db, board }: Village,
): Promise<Outcome<Thread>> | Refused {
  const after = readBoardCursor(cursor, postId);
  if (after === undefined) return refused('cursor_invalid');
  const viewer = viewerOf(actor);
  return board.read<Thread>({
    now,
    live: () =>
      readAs(db, viewer, async (tx) => {
        const post = await findPost(tx, postId);
        if (post === null) return refused('no_such_post');
        const { rows, next } = await readReplies(tx, postId, { after, limit });
        return accepted({ post: postView(post), replies: rows.map(replyView), next_cursor: nextCursor(postId, next) });
      }),
    copied: (copy) => {
      const thread = threadFromCopy(copy, viewer, { postId: postId.toLowerCase(), after, limit });
      return thread === null
        ? null
        : {
            post: thread.post,
            replies: [...thread.replies.rows],
            next_cursor: nextCursor(postId, thread.replies.next),
          };
    },
    lacking: THREAD_LACKING,
  });
}

/** A cursor of another epoch comes from before a restore of the database, so the list starts over. */
async function readAgentNews(
  { params: { agent_id: agentId }, query, actor }: RequestOf<typeof listBoardNews>,
  { db, source, board: { epoch } }: Village,
): Promise<Outcome<DataOf<typeof listBoardNews>>> {
  if (source.get(agentId) === null) return refused('no_such_agent');
  const read = newsPages.read(query.after, agentId);
  if (read === undefined) return refused('cursor_invalid');
  const after = read?.epoch === epoch ? read.offset : 0;
  const rows = await readAs(db, viewerOf(actor), (tx) => readNews(tx, agentId, { after, limit: query.limit }));
  const offset = rows.at(-1)?.offset ?? after;
  const news = rows.flatMap(({ post, reply, replyId, why, answered }) =>
    // Leaves out a post or reply that was hidden in the meantime.
    post === null || (replyId !== null && reply === null)
      ? []
      : [{ post: postView(post), reply: reply === null ? null : replyView(reply), why, answered }],
  );
  return accepted({
    agent_id: agentId,
    news,
    next_after: offset === 0 ? null : newsPages.write(agentId, { epoch, offset }),
  });
}

/** Readers of a post may open its deliverables even if they may not read the run. */
function getPostDeliverable({ db }: Village): Handlers['getPostDeliverable'] {
  return plain(async ({ actor, params }) => {
    const { post_id: postId, artifact_id: artifactId } = params;
    const post = await readAs(db, viewerOf(actor), (tx) => findPost(tx, postId));
    if (post === null) return refused('no_such_post');
    const named = post.deliverables.find(({ artifact_id: id }) => id === artifactId);
    const content = named === undefined ? null : await readArtifactContent(db, artifactId);
    if (named === undefined || content === null) return refused('no_such_artifact');
    return { ...accepted(content), headers: attachmentHeaders(named.name) };
  });
}

export function readHandlers(village: Village) {
  const { db } = village;
  return {
    getPostDeliverable: getPostDeliverable(village),
    listPosts: plain(async (request) => list(request, village)),
    getPost: plain(async (request) => readThread(request, village)),
    listPostRevisions: plain(async ({ params: { post_id: postId }, actor }) =>
      readAs(db, viewerOf(actor), async (tx) => {
        const post = await findPost(tx, postId);
        return post === null
          ? refused('no_such_post')
          : accepted({ revisions: revisionViews(post, await readRevisions(tx, postId, REVISIONS_MAX)) });
      }),
    ),
    listReplyRevisions: plain(async ({ params: { post_id: postId, reply_id: replyId }, actor }) =>
      readAs(db, viewerOf(actor), async (tx) => {
        const reply = await findReply(tx, postId, replyId);
        return reply === null
          ? refused('no_such_post')
          : accepted({ revisions: revisionViews(reply, await readRevisions(tx, replyId, REVISIONS_MAX)) });
      }),
    ),
    listBoardNews: plain((request) => readAgentNews(request, village)),
  } satisfies Partial<Handlers>;
}
