import {
  closeLife,
  endPresence,
  inSnapshot,
  inTransaction,
  openLives,
  readAgentBooks,
  readScheduleActivity,
} from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import { claimView } from './internal-feed.ts';
import type { Village } from '../village.ts';

function nextOf<T>(page: readonly T[], limit: number, name: (entry: T) => string): string | null {
  const last = page.length < limit ? undefined : page.at(-1);
  return last === undefined ? null : name(last);
}

export function internalHandlers({ db, feed, hub, reader, claims }: Village) {
  return {
    openInternalStream: {
      kind: 'stream',
      open: async ({ query }, sink) => accepted(await feed.open(query.after, sink)),
    },
    listAgentBooks: plain(async ({ query: { after = '', limit } }) => {
      const rows = await inSnapshot(db, (tx) => readAgentBooks(tx, { after, limit }));
      const agents = rows.map(({ agentId, lifeUid, standing, presence, boost, claim }) => ({
        agent_id: agentId,
        life_uid: lifeUid,
        standing,
        presence,
        boost,
        claim: claim === null ? null : claimView(claim),
      }));
      return accepted({ agents, next: nextOf(agents, limit, ({ agent_id: agentId }) => agentId) });
    }),
    listScheduleBooks: plain(async ({ query: { after = '', limit } }) => {
      const schedules = [...(await readScheduleActivity(db, { after, limit }))];
      return accepted({ schedules, next: nextOf(schedules, limit, ({ schedule_uid: uid }) => uid) });
    }),
    closeAgent: plain(async ({ params, body }) => {
      const { agent_id: agentId } = params;
      await inTransaction(db, (tx) => claims.endLife(tx, agentId, body.uid));
      await closeLife(db, body.uid, agentId);
      await endPresence(db, body.uid);
      // A newer life of the same agent may be in the world already, and stays there.
      const lives = await openLives(db);
      if (!lives.some((life) => life.agentId === agentId)) {
        const { outcome } = await reader.commands.submit({
          command: { kind: 'despawn', agent_id: agentId },
          durability: 'written_through',
          key: null,
        });
        if (!outcome.ok) return outcome;
        hub.forget(agentId);
      }
      return accepted({ agent_id: agentId, uid: body.uid, closed: true as const });
    }),
  } satisfies Partial<Handlers>;
}
