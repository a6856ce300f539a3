import { neighbour } from '../map/flow-field.ts';
import type { WorldState } from './state/state.ts';

/** The nearest tiles, `tile` first, where nothing lies and one can stand; fewer only where the whole reachable map is strewn. */
export function dropTiles(world: WorldState, tile: number, count: number): number[] {
  const free: number[] = [];
  const seen = new Set([tile]);
  const queue = [tile];
  for (const next of queue) {
    if (free.length >= count) break;
    if (!world.items.lyingAt.has(next)) free.push(next);
    for (let direction = 1; direction <= 4; direction += 1) {
      const beside = neighbour(world.map, next, direction);
      if (beside < 0 || seen.has(beside)) continue;
      seen.add(beside);
      queue.push(beside);
    }
  }
  return free;
}
