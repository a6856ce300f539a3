import { findAnswer } from '@hamlet/store';
import type { ActionBody, WorldCommand } from '@hamlet/contract';
import { lineOf } from '../audit/record-act.ts';
import type { Acting } from '../audit/record-act.ts';
import type { Actor } from '../http/actor.ts';
import type { Answered, Handlers, WriteKey } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Services } from './services.ts';

type Names = 'getWorld' | 'getWorldMap' | 'moveAgent' | 'actAsAgent';

interface Asked extends Acting {
  readonly actor: Actor;
}

/** The map, and what agents do on it. */
export function worldHandlers(services: Services): Pick<Handlers, Names> {
  const { reader, mapAnswer } = services;

  /** A person's act on an agent is durable, with its line in the audit, before it is answered; an agent's own step may be committed with others. */
  async function command(asked: Asked, wish: WorldCommand, key: WriteKey): Promise<Answered> {
    if (asked.actor.role === 'agent') return reader.commands.submit({ command: wish, durability: 'grouped', key });
    const audit = lineOf(asked, { action: `steer.${wish.kind}`, object: wish.agent_id, detail: wish });
    return reader.commands.submit({ command: wish, durability: 'written_through', key, audit });
  }

  /** A note at the notice board becomes a post: what its author may not post is refused before the world hears of it. A retry gets its first answer. */
  async function refuseNote(agentId: string, action: ActionBody, key: WriteKey): Promise<Answered | null> {
    if (action.kind !== 'use_board' || action.text === undefined || action.text.trim() === '') return null;
    if ((await findAnswer(services.db, key.actor, key.key)) !== null) return null;
    const refusal = await services.board.refuseNote(agentId, action.text.trim());
    return refusal === null ? null : { outcome: refusal, replayed: false };
  }

  return {
    getWorld: {
      kind: 'plain',
      run: async ({ query: { around, ...look } }) =>
        around === undefined
          ? { ...accepted(await reader.world()), shared: true }
          : accepted(await reader.around({ ...look, around })),
    },
    getWorldMap: { kind: 'plain', run: async () => ({ ...accepted(mapAnswer), shared: true }) },
    moveAgent: {
      kind: 'world',
      run: (request, key) =>
        command(request, { kind: 'move', agent_id: request.params.agent_id, target: request.body }, key),
    },
    actAsAgent: {
      kind: 'world',
      run: async (request, key) =>
        (await refuseNote(request.params.agent_id, request.body, key)) ??
        command(request, { ...request.body, agent_id: request.params.agent_id }, key),
    },
  };
}
