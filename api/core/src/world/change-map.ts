import type { TilePosition } from '@hamlet/contract';
import { tilePosition, walkTiles } from '../map/path-tiles.ts';
import { landmarkById } from '../map/places.ts';
import { isInMainRegion } from '../map/regions.ts';
import type { WorldMap } from '../map/world-map.ts';
import { aliveSlots } from './describe.ts';
import { dropTiles, moveItem } from './move-item.ts';
import { positionAt } from './position.ts';
import { holdPlace, placeAt, seatAgent, setPath } from './reduce.ts';
import { ARRIVED, has } from './state/agent-table.ts';
import { emptyWorld, type WorldState } from './state/state.ts';

interface Moment {
  readonly seq: number;
  readonly tick: number;
}

/** The nearest tile on which an agent can stand; a tie goes to the lowest index. */
function standingTile(map: WorldMap, position: TilePosition): number {
  const center = { x: Math.min(position.x, map.width - 1), y: Math.min(position.y, map.height - 1) };
  for (let radius = 0; radius <= Math.max(map.width, map.height); radius += 1) {
    const onRing = ring(map, center, radius).filter((tile) => isInMainRegion(map, tile));
    const [first, ...others] = onRing;
    if (first !== undefined)
      return others.reduce(
        (best, tile) => (stepsTo(map, center, tile) < stepsTo(map, center, best) ? tile : best),
        first,
      );
  }
  throw new Error(`map ${map.version} has no tile that an agent can stand on`);
}

/** Diagonal steps count as one. */
function ring(map: WorldMap, center: TilePosition, radius: number): number[] {
  const tiles: number[] = [];
  for (let y = Math.max(0, center.y - radius); y <= Math.min(map.height - 1, center.y + radius); y += 1) {
    const edge = y === center.y - radius || y === center.y + radius;
    for (let x = center.x - radius; x <= center.x + radius; x += edge ? 1 : Math.max(1, radius * 2)) {
      if (x >= 0 && x < map.width) tiles.push(y * map.width + x);
    }
  }
  return tiles;
}

function stepsTo(map: WorldMap, from: TilePosition, tile: number): number {
  const { x, y } = tilePosition(map, tile);
  return Math.abs(x - from.x) + Math.abs(y - from.y);
}

/** The same slot of the landmark on the new map, or its first slot; undefined if the new map lacks the landmark. */
function slotOn(old: WorldMap, map: WorldMap, place: number): TilePosition | undefined {
  const index = old.slots[place]?.landmark ?? -1;
  const next = landmarkById(map, old.landmarks[index]?.landmark_id ?? '');
  return next?.slots[place - (old.firstSlot[index] ?? 0)] ?? next?.slots[0];
}

/** The slot that {@link slotOn} finds; without one, the tile nearest to the old destination. */
function destination(old: WorldMap, map: WorldMap, to: number): number {
  const place = old.slotAt.get(to);
  const slot = place === undefined ? undefined : slotOn(old, map, place);
  return standingTile(map, slot ?? tilePosition(old, to));
}

const KEPT_COLUMNS = ['flags', 'tier', 'activity', 'activityUntil', 'emote', 'emoteTick', 'speechTick'] as const;

/** Index of the home; 0, the first landmark, if the new map lacks it. */
function homeOn(old: WorldState, map: WorldMap, slot: number): number {
  const home = old.map.landmarks[old.agents.home[slot] ?? 0]?.landmark_id;
  return home === undefined ? 0 : (map.landmarkIndex.get(home) ?? 0);
}

/** A walking agent continues to its destination. */
function bringAgent(old: WorldState, world: WorldState, slot: number): void {
  const { agents: before } = old;
  const { agents, map, tick } = world;
  seatAgent(world, slot, { agentId: before.ids[slot] ?? '', name: before.names[slot] ?? '' });
  agents.speech[slot] = before.speech[slot] ?? '';
  for (const column of KEPT_COLUMNS) agents[column][slot] = before[column][slot] ?? 0;
  agents.home[slot] = homeOn(old, map, slot);
  const from = standingTile(map, positionAt(old, slot, tick));
  const wanted = has(before, slot, ARRIVED) ? from : destination(old.map, map, before.to[slot] ?? 0);
  const to = walkTiles(map, from, wanted) === null ? from : wanted;
  setPath(world, slot, { from, to, startTick: tick, lead: 0 });
  holdPlace(world, slot, placeAt(world, slot, to));
}

/** Agents keep their items. An item on the ground moves to the nearest free tile; without one, it is dropped. */
function bringItems(old: WorldState, world: WorldState): void {
  world.items.next = old.items.next;
  for (const item of [...old.items.byNumber.values()].toSorted((a, b) => a.number - b.number)) {
    const tile =
      item.tile < 0 ? undefined : dropTiles(world, standingTile(world.map, tilePosition(old.map, item.tile)), 1)[0];
    if (item.holder < 0 && tile === undefined) continue;
    world.items.byNumber.set(item.number, { ...item, tile: -1, holder: -1 });
    moveItem(world, item.number, { tile: tile ?? -1, holder: item.holder });
  }
}

/**
 * The world on another map, after the event `map`. Agents keep identity, slot, tier, home and items; an agent whose
 * tile is gone moves to the nearest tile of the largest region. A walking agent starts again towards its destination.
 * Pure.
 */
export function changeMap(old: WorldState, map: WorldMap, moment: Moment): WorldState {
  const world = emptyWorld(map, { seed: old.seed, ...moment });
  for (const slot of aliveSlots(old)) bringAgent(old, world, slot);
  bringItems(old, world);
  return world;
}
