import type { TimelineEntry } from '@hamlet/contract';
import { inSnapshot, readFiringsOf, readRunsById, readSessionsById, readTimeline } from '@hamlet/store';
import type { Db, FiringOfAgent, TimelinePlace } from '@hamlet/store';
import { z } from 'zod';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { pageCursor } from '../http/page-cursor.ts';
import type { Actor } from '../http/actor.ts';
import { shownRunView } from '../runs/audience/run-audience.ts';
import { seesTexts } from '../runs/audience/veil.ts';
import { scopeOf } from './session-handlers.ts';
import { chatSessionView } from './transcript/session-view.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.uuid());
const EMPTY = { session: null, run: null, firing: null } as const;

function firingView(row: FiringOfAgent): NonNullable<TimelineEntry['firing']> {
  return {
    firing_id: row.firingId,
    schedule_uid: row.scheduleUid,
    slot: row.slot.toISOString(),
    fired_at: row.firedAt.toISOString(),
    run_id: row.runId,
    outcome: row.outcome,
  };
}

/** The entries of a page, in order. Runs of sessions appear only if the reader may see the session. */
async function readEntries(
  db: Db,
  { agentId, actor }: { readonly agentId: string; readonly actor: Actor },
  places: readonly TimelinePlace[],
): Promise<readonly TimelineEntry[]> {
  const idsOf = (kind: TimelinePlace['kind']): readonly string[] =>
    places.filter((place) => place.kind === kind).map(({ id }) => id);
  const sessions = await readSessionsById(db, idsOf('session'));
  const runs = await readRunsById(db, idsOf('run'));
  const firings = await readFiringsOf(db, agentId, idsOf('firing'));
  return places.flatMap(({ kind, id }): readonly TimelineEntry[] => {
    const session = sessions.get(id);
    if (session !== undefined)
      return [{ ...EMPTY, id, kind, at: session.createdAt.toISOString(), session: chatSessionView(session) }];
    const run = runs.get(id);
    if (run !== undefined) {
      const shown = shownRunView({ row: run, veiled: !seesTexts(actor, run, true) });
      return [{ ...EMPTY, id, kind, at: run.createdAt.toISOString(), run: shown }];
    }
    const firing = firings.get(id);
    return firing === undefined
      ? []
      : [{ ...EMPTY, id, kind, at: firing.firedAt.toISOString(), firing: firingView(firing) }];
  });
}

export function timelineHandler({ db, source }: Village) {
  return {
    getTimeline: plain(async (request) => {
      const { params, query, actor } = request;
      const { agent_id: agentId } = params;
      if (source.get(agentId) === null) return refused('no_such_agent', `There is no agent ${agentId}`);
      const scope = await scopeOf(db, request, { agentId, whose: query.whose });
      if (!scope.ok) return scope;
      const sessionId = query.session_id ?? null;
      const question = [agentId, query.whose, sessionId, actor.id].join('/');
      const before = cursor.read(query.cursor, question);
      if (before === undefined) return refused('cursor_invalid');
      const filter = { agentId, sessionId, personId: scope.data };
      return inSnapshot(db, async (tx) => {
        const { rows, next } = await readTimeline(tx, filter, { before, limit: query.limit });
        return accepted({
          entries: [...(await readEntries(tx, { agentId, actor }, rows))],
          next_cursor: next === null ? null : cursor.write(question, next),
        });
      });
    }),
  } satisfies Partial<Handlers>;
}
