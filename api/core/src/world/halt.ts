import type { WorldEvent } from '@hamlet/contract';
import { moveEvent } from './command/validate-move.ts';
import { aliveSlots } from './describe.ts';
import { isMoving, nextBoundary } from './position.ts';
import { reduce } from './reduce.ts';
import type { WorldState } from './state/state.ts';

/** Applies and returns the moves that end all walks, each at its next tile. Call it after `advance` of the tick; never in a replay. */
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
