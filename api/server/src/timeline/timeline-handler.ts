import { TIMELINE_KINDS, type RoutePermission, type TimelineKind } from '@hamlet/contract';
import { readSnapshotAs, readTimeline, readTimelineRows } from '@hamlet/store';
import { z } from 'zod';
import { viewerOf } from '../board/author-of.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { pageCursor } from '../http/page-cursor.ts';
import { refuseUnpermitted } from '../http/pipeline/authorize.ts';
import type { Actor } from '../http/actor.ts';
import { scopeOf } from '../sessions/session-handlers.ts';
import type { Village } from '../village.ts';
import { entryOf } from './timeline-entry.ts';

const cursor = pageCursor(z.uuid());

/** The permissions of the routes that have these rows too. */
const PERMISSION_OF_KIND = {
  session: 'sessions:read',
  run: 'sessions:read',
  firing: 'schedules:read',
  post: 'board:read',
  purchase: 'trade:read',
  judgement: 'ledger:read',
  state: 'standing:read',
} as const satisfies Readonly<Record<TimelineKind, RoutePermission>>;

/** The kinds that an actor, or the scopes of its API key, may read on their own routes. Pure. */
function kindsFor(actor: Actor, asked: TimelineKind | undefined): readonly TimelineKind[] {
  const may = TIMELINE_KINDS.filter(
    (kind) => refuseUnpermitted(actor, PERMISSION_OF_KIND[kind], `read ${kind}`) === null,
  );
  return asked === undefined ? may : may.filter((kind) => kind === asked);
}

export function timelineHandler({ db, source }: Village) {
  return {
    getTimeline: plain(async (request) => {
      const { params, query, actor } = request;
      const { agent_id: agentId } = params;
      const agent = source.get(agentId);
      if (agent === null) return refused('no_such_agent', `There is no agent ${agentId}`);
      const scope = await scopeOf(db, request, { agentId, whose: query.whose });
      if (!scope.ok) return scope;
      const sessionId = query.session_id ?? null;
      const question = [agentId, query.whose, query.kind ?? '', sessionId, actor.id].join('/');
      const before = cursor.read(query.cursor, question);
      if (before === undefined) return refused('cursor_invalid');
      const since = new Date(agent.createdAt);
      const filter = { agentId, since, kinds: kindsFor(actor, query.kind), sessionId, personId: scope.data };
      return readSnapshotAs(db, viewerOf(actor), async (tx) => {
        const { rows: places, next } = await readTimeline(tx, filter, { before, limit: query.limit });
        const rows = await readTimelineRows(tx, agentId, places);
        return accepted({
          entries: places.flatMap((place) => entryOf(place, rows, { agentId, actor }) ?? []),
          next_cursor: next === null ? null : cursor.write(question, next),
        });
      });
    }),
  } satisfies Partial<Handlers>;
}
