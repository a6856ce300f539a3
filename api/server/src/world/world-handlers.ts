import { findAnswer, type Db } from '@hamlet/store';
import type { ActionBody, MapResponse, WorldCommand } from '@hamlet/contract';
import { lineOf } from '../audit/record-act.ts';
import { plain, type Answered, type Caller, type Handlers, type WriteKey } from '../http/handler.ts';
import { accepted, type Refused } from '../http/outcome.ts';
import type { WorldReader } from './world-reader.ts';

export interface WorldHandlerPorts {
  readonly db: Db;
  readonly reader: WorldReader;
  readonly mapAnswer: MapResponse;
  readonly refuseNote: (agentId: string, text: string) => Promise<Refused | null>;
}

export function worldHandlers({ db, reader, mapAnswer, refuseNote }: WorldHandlerPorts) {
  /**
   * Submits a command. The API answers a person's command, and the call of a run, once it is durable with its audit
   * row. It may commit another command of an agent together with others.
   */
  async function command(caller: Caller, wish: WorldCommand, key: WriteKey): Promise<Answered> {
    if (caller.actor.role === 'agent' && caller.call === undefined)
      return reader.commands.submit({ command: wish, durability: 'grouped', key });
    const verb = caller.call === undefined ? 'steer' : 'act';
    const audit = lineOf(caller, { action: `${verb}.${wish.kind}`, object: wish.agent_id, detail: wish });
    return reader.commands.submit({ command: wish, durability: 'written_through', key, audit });
  }

  /**
   * The refusal of a note on the notice board whose author may not write the post that the note becomes; null
   * otherwise. Null also for a retry, which gets the first answer.
   */
  async function refuseUsingBoard(agentId: string, action: ActionBody, key: WriteKey): Promise<Answered | null> {
    if (action.kind !== 'use_board' || action.text === undefined || action.text.trim() === '') return null;
    if ((await findAnswer(db, key.actor, key.key)) !== null) return null;
    const refusal = await refuseNote(agentId, action.text.trim());
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
