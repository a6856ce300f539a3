import { closeLife, endPresence, inTransaction, openLives } from '@hamlet/store';
import type { Handlers } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Services } from './services.ts';

type Names = 'openInternalStream' | 'closeAgent';

/** What the operator asks. */
export function internalHandlers({ db, feed, hub, reader, claims }: Services): Pick<Handlers, Names> {
  return {
    openInternalStream: { kind: 'stream', open: async ({ query }, sink) => accepted(await feed.open(query.after, sink)) },
    closeAgent: {
      kind: 'plain',
      run: async ({ params, body }) => {
        const { agent_id: agentId } = params;
        await inTransaction(db, (tx) => claims.endLife(tx, agentId, body.uid));
        await closeLife(db, body.uid, agentId);
        await endPresence(db, body.uid);
        // A newer life of the name may be in the world already; it stays.
        const lives = await openLives(db);
        if (!lives.some((life) => life.agentId === agentId)) {
          const { outcome } = await reader.commands.submit({ command: { kind: 'despawn', agent_id: agentId }, durability: 'written_through', key: null });
          if (!outcome.ok) return outcome;
          hub.forget(agentId);
        }
        return accepted({ agent_id: agentId, uid: body.uid, closed: true as const });
      },
    },
  };
}
