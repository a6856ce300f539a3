import { AWAY_KINDS, type AwayGroup, type AwayKind, type RoutePermission } from '@hamlet/contract';
import {
  type AwayRows,
  findAccount,
  markThingsSeen,
  readAs,
  readAwayRows,
  readLook,
  readSnapshotAs,
  readTimelineRows,
  readUnreadPosts,
  readUnreadSessions,
  type Tx,
} from '@hamlet/store';
import { viewerOf } from '../board/author-of.ts';
import type { Actor } from '../http/actor.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';
import { answersGroup, boardGroups, rowsGroup } from './away-view.ts';
import { readableKinds } from './readable-kinds.ts';

/** The permission of the route that returns the same rows. */
const PERMISSION_OF_KIND: Readonly<Record<AwayKind, RoutePermission>> = {
  answers: 'sessions:read',
  replies: 'board:read',
  results: 'runs:read',
  failures: 'runs:read',
  schedules: 'schedules:read',
  money: 'ledger:read',
  restrictions: 'standing:read',
  posts: 'board:read',
  members: 'accounts:read',
};

const kindsFor = (actor: Actor): readonly AwayKind[] => readableKinds(actor, AWAY_KINDS, PERMISSION_OF_KIND);

async function readGroup(tx: Tx, found: AwayRows, actor: Actor): Promise<AwayGroup | null> {
  const { source, id, agentId } = found;
  if (source === 'account') {
    const account = await findAccount(tx, id);
    return rowsGroup(found, { rows: null, name: account?.name ?? id, actor });
  }
  const rows = agentId === null ? null : await readTimelineRows(tx, agentId, [{ source, id, place: id }]);
  return rowsGroup(found, { rows, name: '', actor });
}

async function readGroups(tx: Tx, actor: Actor, since: Date): Promise<AwayGroup[]> {
  const kinds = kindsFor(actor);
  const groups: AwayGroup[] = [];
  if (kinds.includes('answers')) groups.push(...answersGroup(await readUnreadSessions(tx, actor.id), since));
  if (kinds.includes('posts')) groups.push(...boardGroups(await readUnreadPosts(tx, actor.id), since));
  for (const found of await readAwayRows(tx, kinds, since)) {
    const group = await readGroup(tx, found, actor);
    if (group !== null) groups.push(group);
  }
  return groups.toSorted((left, right) => AWAY_KINDS.indexOf(left.kind) - AWAY_KINDS.indexOf(right.kind));
}

export function awayHandlers({ db }: Village) {
  return {
    getAway: plain(async ({ actor }) =>
      readSnapshotAs(db, viewerOf(actor), async (tx) => {
        const { since, now } = await readLook(tx, actor.id);
        const groups = since === null ? [] : await readGroups(tx, actor, since);
        return accepted({ since: since?.toISOString() ?? null, until: now.toISOString(), groups });
      }),
    ),
    listUnread: plain(async ({ actor }) =>
      readSnapshotAs(db, viewerOf(actor), async (tx) => {
        const kinds = kindsFor(actor);
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
