import { type MoveBody, type WorldEventOf, type WorldRefusal, TICKS_PER_TILE } from '@hamlet/contract';
import { landmarkAt, rankOf } from '../../map/places.ts';
import { tileIndex, tilePosition, walkTiles } from '../../map/path-tiles.ts';
import { nextBoundary, positionAt } from '../position.ts';
import type { WorldState } from '../state/state.ts';
import { accepted, type CommandOutcome, refused } from './outcome.ts';

type Target = { readonly tile: number } | { readonly reason: WorldRefusal };

/** The slot that the agent holds, otherwise the free one with the lowest number. */
function landmarkTarget(world: WorldState, slot: number, landmarkId: string): Target {
  const { map, slotHolders } = world;
  const landmark = map.landmarkIndex.get(landmarkId);
  if (landmark === undefined) return { reason: 'no_such_landmark' };
  const first = map.firstSlot[landmark] ?? 0;
  const numbers = (map.landmarks[landmark]?.slots ?? []).map((_, index) => first + index);
  const mine = numbers.find((number) => slotHolders[number] === slot + 1);
  const chosen = mine ?? numbers.find((number) => slotHolders[number] === 0);
  return chosen === undefined ? { reason: 'no_free_slot' } : { tile: map.slots[chosen]?.tile ?? 0 };
}

function targetOf(world: WorldState, slot: number, wish: { readonly target: MoveBody; readonly tick: number }): Target {
  const { target, tick } = wish;
  if ('landmark_id' in target) return landmarkTarget(world, slot, target.landmark_id);
  const here = positionAt(world, slot, tick);
  const { x, y } = 'dx' in target ? { x: here.x + target.dx, y: here.y + target.dy } : target;
  const inside = x >= 0 && y >= 0 && x < world.map.width && y < world.map.height;
  return inside ? { tile: tileIndex(world.map, { x, y }) } : { reason: 'out_of_bounds' };
}

/** The zone in which a walk begins is always allowed. */
function entersLocked(world: WorldState, slot: number, walk: readonly number[]): boolean {
  const { zoneOf, zones } = world.map;
  const rank = world.agents.tier[slot] ?? 0;
  const home = zoneOf[walk[0] ?? 0] ?? 0;
  return walk.some((tile) => {
    const zone = zoneOf[tile] ?? 0;
    return zone !== home && rankOf(zones[zone - 1]?.unlocked_by) > rank;
  });
}

/** The walk begins at the next tile boundary. */
export function moveEvent(
  world: WorldState,
  slot: number,
  path: { readonly walk: readonly number[]; readonly tick: number; readonly seq: number },
): WorldEventOf<'move'> {
  const start = nextBoundary(world, slot, path.tick);
  const from = tilePosition(world.map, start.tile);
  const to = tilePosition(world.map, path.walk.at(-1) ?? start.tile);
  return {
    seq: path.seq,
    tick: path.tick,
    kind: 'move',
    agent_id: world.agents.ids[slot] ?? '',
    from,
    lead: start.lead,
    to,
    landmark_id: landmarkAt(world.map, to)?.landmark_id ?? null,
    start_tick: start.tick,
    arrives_tick: start.tick + (path.walk.length - 1) * TICKS_PER_TILE,
  };
}

export function validateMove(
  world: WorldState,
  slot: number,
  wish: { readonly target: MoveBody; readonly tick: number },
): CommandOutcome {
  const target = targetOf(world, slot, wish);
  if ('reason' in target) return refused(target.reason);
  if (world.map.walkable[target.tile] !== 1) return refused('unreachable');
  const place = world.map.slotAt.get(target.tile);
  const holder = place === undefined ? 0 : (world.slotHolders[place] ?? 0);
  if (holder !== 0 && holder !== slot + 1) return refused('slot_taken');
  const walk = walkTiles(world.map, nextBoundary(world, slot, wish.tick).tile, target.tile);
  if (walk === null) return refused('unreachable');
  if (entersLocked(world, slot, walk)) return refused('zone_locked');
  return accepted(moveEvent(world, slot, { walk, tick: wish.tick, seq: world.seq + 1 }));
}
