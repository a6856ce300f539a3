import type { LifecycleCommand, WorldCommand } from '@hamlet/contract';
import { type CommandOutcome, refused } from './outcome.ts';
import { AWAKE, has } from '../state/agent-table.ts';
import { slotOf, type WorldState } from '../state/state.ts';
import { validateAction } from './validate-action.ts';
import { validateLifecycle } from './validate-lifecycle.ts';
import { validateMove } from './validate-move.ts';

/** True for a command that the API gives for an agent's object, not for a person or an agent. */
export const isLifecycle = (command: WorldCommand): command is LifecycleCommand =>
  command.kind === 'spawn' || command.kind === 'despawn' || command.kind === 'state';

/** Does not change the world: reduce the events before the next command. `tick` is not before that of the last event. */
export function validateCommand(world: WorldState, command: WorldCommand, tick: number): CommandOutcome {
  if (isLifecycle(command)) return validateLifecycle(world, command, tick);
  const slot = slotOf(world, command.agent_id);
  if (slot < 0) return refused('no_such_agent');
  if (!has(world.agents, slot, AWAKE)) return refused('not_awake');
  if (command.kind === 'move') return validateMove(world, slot, { target: command.target, tick });
  return validateAction(world, slot, { action: command, tick });
}
