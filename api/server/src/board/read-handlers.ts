import { REVISIONS_MAX } from '@hamlet/contract';
import { findPost, findReply, readAs, readPosts, readReplies, readRevisions } from '@hamlet/store';
import type { PostFilter } from '@hamlet/store';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Services } from '../routes/services.ts';
import { boardCursorOf, readBoardCursor } from './board-cursor.ts';
import { postView, replyView, revisionViews } from './post-view.ts';
import { viewerOf } from './viewer-of.ts';

type Names = 'listPosts' | 'getPost' | 'listPostRevisions' | 'listReplyRevisions';

/** What stands on the board. Who may see what is for row-level security to say: nothing here looks at an audience. */
export function readHandlers({ db }: Pick<Services, 'db'>): Pick<Handlers, Names> {
  return {
    listPosts: {
      kind: 'plain',
      run: async ({ query, actor }) => {
        const { cursor, limit, landmark_id: landmarkId, author_type: authorType, q: search, status, tag, audience, author } = query;
        const filter: PostFilter = { status, tag, audience, author, authorType, landmarkId, search };
        const question = JSON.stringify(Object.values(filter));
        const before = readBoardCursor(cursor, question);
        if (before === undefined) return refused('cursor_invalid');
        const { rows, next } = await readAs(db, viewerOf(actor), (tx) => readPosts(tx, filter, { before, limit }));
        return accepted({ posts: rows.map(postView), next_cursor: next === null ? null : boardCursorOf(question, next) });
      },
    },
    getPost: {
      kind: 'plain',
      run: async ({ params: { post_id: postId }, query: { cursor, limit }, actor }) => {
        const after = readBoardCursor(cursor, postId);
        if (after === undefined) return refused('cursor_invalid');
        return readAs(db, viewerOf(actor), async (tx) => {
          const post = await findPost(tx, postId);
          if (post === null) return refused('no_such_post');
          const { rows, next } = await readReplies(tx, postId, { after, limit });
          return accepted({ post: postView(post), replies: rows.map(replyView), next_cursor: next === null ? null : boardCursorOf(postId, next) });
        });
      },
    },
    listPostRevisions: {
      kind: 'plain',
      run: async ({ params: { post_id: postId }, actor }) =>
        readAs(db, viewerOf(actor), async (tx) => {
          const post = await findPost(tx, postId);
          return post === null ? refused('no_such_post') : accepted({ revisions: revisionViews(post, await readRevisions(tx, postId, REVISIONS_MAX)) });
        }),
    },
    listReplyRevisions: {
      kind: 'plain',
      run: async ({ params: { post_id: postId, reply_id: replyId }, actor }) =>
        readAs(db, viewerOf(actor), async (tx) => {
          const reply = await findReply(tx, postId, replyId);
          return reply === null ? refused('no_such_post') : accepted({ revisions: revisionViews(reply, await readRevisions(tx, replyId, REVISIONS_MAX)) });
        }),
    },
  };
}
