import { walkOf, walkPosition, type WorldState } from '@hamlet/core';

/**
 * Positions of all agents at a recent tick, in quarters of tiles, x and y by slot. An agent is on its path, or on its
 * earlier path if the new one had not begun.
 */
export function truthOf(world: WorldState, agents: number, tick: number): number[] {
  const flat: number[] = [];
  for (let slot = 0; slot < agents; slot += 1) {
    const walk = walkOf(world, slot);
    const earlier = world.agents.earlier[slot] ?? null;
    const { x, y } = walkPosition(tick < walk.startTick && earlier !== null ? earlier : walk, world.map.width, tick);
    flat.push(x * 4, y * 4);
  }
  return flat;
}
