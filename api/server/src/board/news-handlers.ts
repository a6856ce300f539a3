import { readAs, readNews } from '@hamlet/store';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Services } from '../routes/services.ts';
import { newsCursorOf, readNewsCursor } from './board-cursor.ts';
import { postView, replyView } from './post-view.ts';
import { viewerOf } from './viewer-of.ts';

/** What concerns an agent, as it asks for itself. */
export function newsHandlers({
  db,
  source,
  board,
}: Pick<Services, 'db' | 'source' | 'board'>): Pick<Handlers, 'listBoardNews'> {
  return {
    listBoardNews: {
      kind: 'plain',
      run: async ({ params: { agent_id: agentId }, query, actor }) => {
        if (source.get(agentId) === null) return refused('no_such_agent', `There is no agent ${agentId}`);
        const after = readNewsCursor(query.after, agentId, board.epoch);
        if (after === undefined) return refused('cursor_invalid');
        const rows = await readAs(db, viewerOf(actor), (tx) => readNews(tx, agentId, { after, limit: query.limit }));
        const upTo = rows.at(-1)?.offset ?? after;
        const news = rows.flatMap(({ post, reply, replyId, why, answered }) =>
          // What was taken off the board meanwhile concerns nobody.
          post === null || (replyId !== null && reply === null)
            ? []
            : [{ post: postView(post), reply: reply === null ? null : replyView(reply), why, answered }],
        );
        return accepted({
          agent_id: agentId,
          news,
          next_after: upTo === 0 ? null : newsCursorOf(agentId, board.epoch, upTo),
        });
      },
    },
  };
}
