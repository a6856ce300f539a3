import { TICKS_PER_TILE } from '@hamlet/contract';
import type { ActionAnswer, MoveAnswer, WorldCommand, WorldEvent } from '@hamlet/contract';
import { isLifecycle, positionAt, slotOf, type CommandOutcome, type WorldState } from '@hamlet/core';
import type { AuditEntry } from '@hamlet/store';
import type { Answered, WriteKey } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';

export interface WorldRequest {
  readonly command: WorldCommand;
  /** `grouped`: answered once accepted, durable within 100 ms, unless an event cannot be grouped. */
  readonly durability: 'grouped' | 'written_through';
  readonly key: WriteKey | null;
  /** The audit row that is committed together with the events of an accepted command. */
  readonly audit?: AuditEntry | undefined;
}

/** Submits commands to the writer, in this process or on the replica that holds the lease. Throws UnavailableError if no replica writes. */
export interface WorldCommands {
  submit(request: WorldRequest): Promise<Answered>;
}

type WorldAnswer = MoveAnswer | ActionAnswer | { readonly accepted_seq: number };

export function answerOf(
  world: WorldState,
  request: WorldRequest,
  decided: { readonly outcome: CommandOutcome; readonly tick: number; readonly durable: boolean },
): Outcome<WorldAnswer> {
  const { outcome, tick, durable } = decided;
  if (!outcome.ok) return refused(outcome.reason);
  const { command } = request;
  const last = outcome.events.at(-1);
  if (isLifecycle(command)) return accepted({ accepted_seq: last?.seq ?? world.seq });
  if (command.kind === 'move') return accepted(moveAnswer(world, { agentId: command.agent_id, tick, event: last }));
  if (last === undefined) throw new Error(`a bug: the world made no event for the action ${command.kind}`);
  return accepted({ accepted_seq: last.seq, durable_seq: durable ? last.seq : null, event: last });
}

/** The answer to a move. An agent that is at its target already gets a path of no tiles. */
function moveAnswer(
  world: WorldState,
  move: { readonly agentId: string; readonly tick: number; readonly event: WorldEvent | undefined },
): MoveAnswer {
  const { event, tick } = move;
  if (event?.kind !== 'move') {
    const here = positionAt(world, slotOf(world, move.agentId), tick);
    return { accepted_seq: world.seq, from: here, to: here, start_tick: tick, arrives_tick: tick, path_tiles: 0 };
  }
  const { from, to, start_tick, arrives_tick } = event;
  return {
    accepted_seq: event.seq,
    from,
    to,
    start_tick,
    arrives_tick,
    path_tiles: (arrives_tick - start_tick) / TICKS_PER_TILE,
  };
}
