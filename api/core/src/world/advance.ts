import {
  MAX_ITEMS,
  type ItemKind,
  type Landmark,
  type LandmarkKind,
  type TilePosition,
  type WorldEvent,
} from '@hamlet/contract';
import { drawBelow } from '../bytes/prng.ts';
import { tileIndex } from '../map/path-tiles.ts';
import { landmarkAt, zoneAt } from '../map/places.ts';
import { aliveSlots } from './describe.ts';
import { positionAt, walkOf } from './position.ts';
import { reduce } from './reduce.ts';
import { ALIVE, ARRIVED, has } from './state/agent-table.ts';
import { itemId } from './state/item-table.ts';
import { type WorldState, TimerWheel } from './state/state.ts';
import { arrivalTick } from './state/walk.ts';
import { dawnsUntil } from './time-of-day.ts';

/** New items every dawn. */
const GROWTH: Partial<Readonly<Record<LandmarkKind, readonly { readonly kind: ItemKind; readonly count: number }[]>>> =
  {
    garden: [
      { kind: 'apple', count: 4 },
      { kind: 'flower', count: 4 },
    ],
    orchard: [{ kind: 'apple', count: 6 }],
    forest: [{ kind: 'wood', count: 5 }],
    library: [{ kind: 'book', count: 2 }],
  };
const GROWTH_RADIUS = 5;
const GROWTH_ATTEMPTS = 24;

type Append = (event: WorldEvent) => void;

function wheelOf(world: WorldState): TimerWheel {
  if (world.wheel !== null) return world.wheel;
  const wheel = new TimerWheel(world.tick);
  for (const slot of aliveSlots(world))
    if (!has(world.agents, slot, ARRIVED)) wheel.schedule(arrivalTick(walkOf(world, slot)), slot);
  world.wheel = wheel;
  return wheel;
}

function arrivals(world: WorldState, tick: number, append: Append): void {
  for (const due of wheelOf(world).take(tick)) {
    const walk = walkOf(world, due.slot);
    const stale =
      !has(world.agents, due.slot, ALIVE) || has(world.agents, due.slot, ARRIVED) || arrivalTick(walk) !== due.tick;
    if (stale) continue;
    const position = positionAt(world, due.slot, tick);
    append({
      seq: world.seq + 1,
      tick,
      kind: 'arrive',
      agent_id: world.agents.ids[due.slot] ?? '',
      ...position,
      landmark_id: landmarkAt(world.map, position)?.landmark_id ?? null,
    });
  }
}

/** True for a free, walkable tile outside of all landmarks' slots that needs the same tier as the landmark. */
function canGrow(world: WorldState, landmark: Landmark, position: TilePosition): boolean {
  const { map } = world;
  if (position.x < 0 || position.y < 0 || position.x >= map.width || position.y >= map.height) return false;
  const tile = tileIndex(map, position);
  const free = map.walkable[tile] === 1 && !map.slotAt.has(tile) && !world.items.lyingAt.has(tile);
  return free && zoneAt(map, position)?.unlocked_by === landmark.unlocked_by;
}

function growthPlace(world: WorldState, landmark: Landmark): TilePosition | null {
  const side = GROWTH_RADIUS * 2 + 1;
  for (let attempt = 0; attempt < GROWTH_ATTEMPTS; attempt += 1) {
    const drawn = drawBelow(side * side, world.seed, world.seq + 1, attempt);
    const x = landmark.position.x - GROWTH_RADIUS + (drawn % side);
    const y = landmark.position.y - GROWTH_RADIUS + Math.floor(drawn / side);
    if (canGrow(world, landmark, { x, y })) return { x, y };
  }
  return null;
}

function cropsOf(landmark: Landmark): ItemKind[] {
  return (GROWTH[landmark.kind] ?? []).flatMap(({ kind, count }) => Array.from({ length: count }, () => kind));
}

function grow(world: WorldState, tick: number, append: Append): void {
  for (const landmark of world.map.landmarks) {
    for (const kind of cropsOf(landmark)) {
      const place = world.items.byNumber.size < MAX_ITEMS ? growthPlace(world, landmark) : null;
      if (place !== null)
        append({ seq: world.seq + 1, tick, kind: 'item_spawn', item_id: itemId(kind, world.items.next), ...place });
    }
  }
}

/** Replaces the items on the ground by new ones, so that their number stays limited. */
function dawn(world: WorldState, tick: number, append: Append): void {
  const lying = [...world.items.byNumber.values()]
    .filter((item) => item.tile >= 0)
    .toSorted((a, b) => a.number - b.number);
  for (const item of lying)
    append({ seq: world.seq + 1, tick, kind: 'item_remove', item_id: itemId(item.kind, item.number) });
  grow(world, tick, append);
}

/** Applies and returns the events that need no command. Call it before the commands of a tick; never in a replay. */
export function advance(world: WorldState, tick: number): WorldEvent[] {
  const events: WorldEvent[] = [];
  const append = (event: WorldEvent): void => {
    events.push(event);
    reduce(world, event);
  };
  const lastDawn = world.advancedTo < 0 ? -1 : dawnsUntil(world.advancedTo);
  world.advancedTo = Math.max(world.advancedTo, tick);
  arrivals(world, tick, append);
  if (dawnsUntil(tick) > lastDawn) dawn(world, tick, append);
  return events;
}
