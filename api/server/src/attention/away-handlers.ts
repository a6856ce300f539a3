import { markThingsSeen, readAs, readLook, readSnapshotAs, readUnreadPosts, readUnreadSessions } from '@hamlet/store';
import { viewerOf } from '../board/author-of.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { awayKindsFor, readAwayGroups } from './away-groups.ts';

export function awayHandlers({ db }: Village) {
  return {
    getAway: plain(async ({ actor }) =>
      readSnapshotAs(db, viewerOf(actor), async (tx) => {
        const { since, now } = await readLook(tx, actor.id);
        const groups = since === null ? [] : await readAwayGroups(tx, actor, since);
        return accepted({ since: since?.toISOString() ?? null, until: now.toISOString(), groups });
      }),
    ),
    listUnread: plain(async ({ actor }) =>
      readSnapshotAs(db, viewerOf(actor), async (tx) => {
        const kinds = awayKindsFor(actor);
        const posts = kinds.includes('posts') ? await readUnreadPosts(tx, actor.id) : [];
        const sessions = kinds.includes('answers') ? await readUnreadSessions(tx, actor.id) : [];
        return accepted({
          posts: posts.map(({ postId, texts }) => ({ post_id: postId, texts })),
          sessions: sessions.map(({ sessionId, agentId, texts }) => ({
            session_id: sessionId,
            agent_id: agentId,
            texts,
          })),
        });
      }),
    ),
    markSeen: plain(async ({ actor, body }) => {
      const until = body.until === undefined ? null : new Date(body.until);
      const at = await readAs(db, viewerOf(actor), (tx) =>
        markThingsSeen(tx, { personId: actor.id, things: body.things, until }),
      );
      return accepted({ until: at.toISOString() });
    }),
  } satisfies Partial<Handlers>;
}
