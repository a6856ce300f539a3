import { TIMELINE_KINDS, type RoutePermission, type TimelineKind } from '@hamlet/contract';
import { readSnapshotAs, readTimeline, readTimelineRows } from '@hamlet/store';
import { z } from 'zod';
import { viewerOf } from '../board/author-of.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { pageCursor } from '../http/page-cursor.ts';
import { scopeOf } from '../sessions/session-handlers.ts';
import type { Village } from '../village.ts';
import { readableKinds } from './readable-kinds.ts';
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

export function timelineHandler({ db, source }: Village) {
  return {
    getTimeline: plain(async (request) => {
      const { params, query, actor } = request;
      const { agent_id: agentId } = params;
      const agent = source.get(agentId);
      if (agent === null) return refused('no_such_agent');
      const scope = await scopeOf(db, request, { agentId, whose: query.whose });
      if (!scope.ok) return scope;
      const sessionId = query.session_id ?? null;
      const question = [agentId, query.whose, query.kind ?? '', sessionId, actor.id].join('/');
      const before = cursor.read(query.cursor, question);
      if (before === undefined) return refused('cursor_invalid');
      const since = new Date(agent.createdAt);
      const asked = query.kind === undefined ? TIMELINE_KINDS : [query.kind];
      const kinds = readableKinds(actor, asked, PERMISSION_OF_KIND);
      const filter = { agentId, since, kinds, sessionId, personId: scope.data };
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
