import { findAnswer } from '@hamlet/store';
import type { ActionBody, WorldCommand } from '@hamlet/contract';
import { lineOf } from '../audit/record-act.ts';
import { plain, type Answered, type Caller, type Handlers, type WriteKey } from '../http/handler.ts';
import { accepted } from '../http/outcome.ts';
import type { Village } from '../village.ts';

export function worldHandlers({ db, reader, mapAnswer, board }: Village) {
  /** Answers people, and calls of runs, once the command is durable with its audit row. */
  async function command(caller: Caller, wish: WorldCommand, key: WriteKey): Promise<Answered> {
    if (caller.actor.role === 'agent' && caller.call === undefined)
      return reader.commands.submit({ command: wish, durability: 'grouped', key });
    const verb = caller.call === undefined ? 'steer' : 'act';
    const audit = lineOf(caller, { action: `${verb}.${wish.kind}`, object: wish.agent_id, detail: wish });
    return reader.commands.submit({ command: wish, durability: 'written_through', key, audit });
  }

  /** The refusal if the author may not write the post that the note becomes. Null for a retry. */
  async function refuseUsingBoard(agentId: string, action: ActionBody, key: WriteKey): Promise<Answered | null> {
    if (action.kind !== 'use_board' || action.text === undefined || action.text.trim() === '') return null;
    if ((await findAnswer(db, key.actor, key.key)) !== null) return null;
    const refusal = await board.refuseNote(agentId, action.text.trim());
    return refusal === null ? null : { outcome: refusal, replayed: false };
  }

  return {
    getWorld: plain(async ({ query: { around, ...look } }) =>
      around === undefined
        ? { ...accepted(await reader.world()), shared: true }
        : accepted(await reader.around({ ...look, around })),
    ),
    getWorldMap: plain(async () => ({ ...accepted(mapAnswer), shared: true })),
    moveAgent: {
      kind: 'world',
      run: (request, key) =>
        command(request, { kind: 'move', agent_id: request.params.agent_id, target: request.body }, key),
    },
    actAsAgent: {
      kind: 'world',
      run: async (request, key) =>
        (await refuseUsingBoard(request.params.agent_id, request.body, key)) ??
        command(request, { ...request.body, agent_id: request.params.agent_id }, key),
    },
  } satisfies Partial<Handlers>;
}
