import { neighbour } from '../map/flow-field.ts';
import type { WorldState } from './state/state.ts';

function takeAway(world: WorldState, number: number): void {
  const item = world.items.byNumber.get(number);
  if (item === undefined) throw new Error(`there is no item ${number}`);
  if (item.tile >= 0) {
    world.items.lyingAt.delete(item.tile);
    world.index.lift(number, item.tile);
  }
  const carried = world.agents.carried[item.holder];
  if (carried !== undefined) carried.splice(carried.indexOf(number), 1);
}

/** The unused field of `where` is -1. Throws if there is no such item. */
export function moveItem(
  world: WorldState,
  number: number,
  where: { readonly tile: number; readonly holder: number },
): void {
  takeAway(world, number);
  const item = world.items.byNumber.get(number);
  if (item === undefined) return;
  world.items.byNumber.set(number, { ...item, ...where });
  if (where.tile >= 0) {
    world.items.lyingAt.set(where.tile, number);
    world.index.lay(number, where.tile);
  }
  const carried = world.agents.carried[where.holder];
  if (carried !== undefined) carried.splice(carried.filter((other) => other < number).length, 0, number);
}

/** Throws if there is no such item. */
export function removeItem(world: WorldState, number: number): void {
  takeAway(world, number);
  world.items.byNumber.delete(number);
}

/** Free tiles for `count` items including `tile`, nearest first; fewer only if the reachable map has no more. */
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
