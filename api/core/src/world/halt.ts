import type { WorldEvent } from '@hamlet/contract';
import { moveEvent } from './command/validate-move.ts';
import { aliveSlots } from './describe.ts';
import { isMoving, nextBoundary } from './position.ts';
import { reduce } from './reduce.ts';
import type { WorldState } from './state/state.ts';

/** Ends all walks, each at its next tile: applies and returns these moves. Call it after `advance` of the tick, never in a replay. */
export function halt(world: WorldState, tick: number): WorldEvent[] {
  return aliveSlots(world)
    .filter((slot) => isMoving(world, slot, tick))
    .map((slot) => {
      const { tile } = nextBoundary(world, slot, tick);
      const event = moveEvent(world, slot, { walk: [tile], tick, seq: world.seq + 1 });
      reduce(world, event);
      return event;
    });
}
