import { TICKS_PER_TILE, type TilePosition } from '@hamlet/contract';
import { stepBetween } from '../map/directions.ts';
import type { WorldState } from './state/state.ts';
import { arrivalTick, type Walk, walkPosition } from './state/walk.ts';

/** The present walk, or the last one if the agent has arrived. */
export function walkOf(world: WorldState, slot: number): Walk {
  const { agents } = world;
  return { tiles: agents.walks[slot] ?? [], startTick: agents.startTick[slot] ?? 0, lead: agents.lead[slot] ?? 0 };
}

/** The last tile that the agent has fully reached. */
export function tileAt(world: WorldState, slot: number, tick: number): number {
  const { agents } = world;
  const walk = agents.walks[slot] ?? [];
  const steps = Math.floor((tick - (agents.startTick[slot] ?? 0)) / TICKS_PER_TILE);
  return walk[Math.max(0, Math.min(steps, walk.length - 1))] ?? 0;
}

/** `tick` must not be before the agent's last move. */
export function positionAt(world: WorldState, slot: number, tick: number): TilePosition {
  const tile = tileAt(world, slot, tick);
  return { x: tile % world.map.width, y: Math.floor(tile / world.map.width) };
}

/** In quarters of a tile, as viewers draw it. */
export function exactPositionAt(world: WorldState, slot: number, tick: number): { x: number; y: number } {
  const { x, y } = walkPosition(walkOf(world, slot), world.map.width, tick);
  return { x, y };
}

export function isMoving(world: WorldState, slot: number, tick: number): boolean {
  return tick < arrivalTick(walkOf(world, slot));
}

/** The next tile boundary, so that no agent turns between tiles. */
export function nextBoundary(
  world: WorldState,
  slot: number,
  tick: number,
): { tile: number; tick: number; lead: number } {
  const walk = walkOf(world, slot);
  const first = walk.tiles[0] ?? 0;
  if (tick >= arrivalTick(walk)) return { tile: walk.tiles.at(-1) ?? first, tick, lead: 0 };
  if (tick <= walk.startTick)
    return { tile: first, tick: walk.startTick, lead: tick === walk.startTick ? 0 : walk.lead };
  const steps = Math.ceil((tick - walk.startTick) / TICKS_PER_TILE);
  const tile = walk.tiles[steps] ?? first;
  const at = walk.startTick + steps * TICKS_PER_TILE;
  return { tile, tick: at, lead: at === tick ? 0 : stepBetween(walk.tiles[steps - 1] ?? tile, tile, world.map.width) };
}
