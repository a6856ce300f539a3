import { ACTIVITIES, EMOTES } from '@hamlet/contract';
import type { Activity, WorldEvent, WorldEventKind, WorldEventOf } from '@hamlet/contract';
import { tileIndex, walkTiles } from '../map/path-tiles.ts';
import { dropTiles, moveItem, removeItem } from './move-item.ts';
import { tileAt, walkOf } from './position.ts';
import { ALIVE, ARRIVED, AWAKE, ensureCapacity, ONLINE, setFlag } from './state/agent-table.ts';
import { parseItemId } from './state/item-table.ts';
import type { WorldState } from './state/state.ts';
import { arrivalTick } from './state/walk.ts';

/** Frees the slot that the agent held. `place` is the number of the slot plus one, or 0 for none. */
export function holdPlace(world: WorldState, slot: number, place: number): void {
  const { agents, slotHolders } = world;
  const before = agents.place[slot] ?? 0;
  if (before > 0) slotHolders[before - 1] = 0;
  agents.place[slot] = place;
  if (place > 0) slotHolders[place - 1] = slot + 1;
}

/** Number of the landmark slot at `tile` plus one; 0 if there is none or another agent holds it. */
export function placeAt(world: WorldState, slot: number, tile: number): number {
  const place = world.map.slotAt.get(tile);
  const holder = place === undefined ? 0 : (world.slotHolders[place] ?? 0);
  return place !== undefined && (holder === 0 || holder === slot + 1) ? place + 1 : 0;
}

/** Sets the agent's path and lists it in the cell index. Throws if no path leads there. */
export function setPath(
  world: WorldState,
  slot: number,
  path: { readonly from: number; readonly to: number; readonly startTick: number; readonly lead: number },
): void {
  const { agents } = world;
  const walk = walkTiles(world.map, path.from, path.to);
  if (walk === null)
    throw new Error(`no path leads from tile ${path.from} to tile ${path.to}: the event belongs to another map`);
  agents.from[slot] = path.from;
  agents.to[slot] = path.to;
  agents.startTick[slot] = path.startTick;
  agents.lead[slot] = path.lead;
  agents.steps[slot] = walk.length - 1;
  agents.walks[slot] = walk;
  world.index.place(slot, { tiles: walk, lead: path.lead });
}

function setActivity(
  world: WorldState,
  slot: number,
  activity: { readonly name: Activity; readonly untilTick: number },
): void {
  world.agents.activity[slot] = ACTIVITIES.indexOf(activity.name);
  world.agents.activityUntil[slot] = activity.untilTick;
}

export function seatAgent(
  world: WorldState,
  slot: number,
  who: { readonly agentId: string; readonly name: string },
): void {
  const { agents } = world;
  ensureCapacity(agents, slot);
  agents.ids[slot] = who.agentId;
  agents.names[slot] = who.name;
  agents.speech[slot] = '';
  agents.carried[slot] = [];
  agents.earlier[slot] = null;
  agents.slotById.set(who.agentId, slot);
  agents.flags[slot] = ALIVE;
  agents.top = Math.max(agents.top, slot + 1);
  agents.count += 1;
}

function spawn(world: WorldState, event: WorldEventOf<'spawn'>): void {
  const { agents } = world;
  const slot = nextSlot(world);
  const tile = tileIndex(world.map, event);
  agents.firstFree = slot + 1;
  seatAgent(world, slot, { agentId: event.agent_id, name: event.display_name });
  agents.flags[slot] = ALIVE | ARRIVED | (event.awake ? AWAKE : 0) | (event.online ? ONLINE : 0);
  agents.tier[slot] = event.tier;
  agents.home[slot] = world.map.landmarkIndex.get(event.home) ?? 0;
  for (const column of [
    agents.place,
    agents.activity,
    agents.activityUntil,
    agents.emote,
    agents.emoteTick,
    agents.speechTick,
  ])
    column[slot] = 0;
  setPath(world, slot, { from: tile, to: tile, startTick: event.tick, lead: 0 });
  holdPlace(world, slot, placeAt(world, slot, tile));
}

/** The lowest free slot, so that every replica chooses the same. */
function nextSlot(world: WorldState): number {
  let slot = world.agents.firstFree;
  while (slot < world.agents.top && ((world.agents.flags[slot] ?? 0) & ALIVE) !== 0) slot += 1;
  return slot;
}

const NOWHERE = { tiles: [], lead: 0 } as const;

function despawn(world: WorldState, event: WorldEventOf<'despawn'>): void {
  const { agents } = world;
  const slot = actor(world, event);
  const carried = agents.carried[slot] ?? [];
  const tiles = dropTiles(world, tileAt(world, slot, event.tick), carried.length);
  for (const [index, number] of [...carried].entries())
    moveItem(world, number, { tile: tiles[index] ?? 0, holder: -1 });
  holdPlace(world, slot, 0);
  world.index.place(slot, NOWHERE);
  agents.slotById.delete(event.agent_id);
  agents.flags[slot] = 0;
  agents.ids[slot] = '';
  agents.walks[slot] = [];
  agents.count -= 1;
  agents.firstFree = Math.min(agents.firstFree, slot);
}

function changeState(world: WorldState, event: WorldEventOf<'state'>): void {
  const slot = actor(world, event);
  const { agents } = world;
  if (event.awake !== undefined) setFlag(agents, slot, { bit: AWAKE, on: event.awake });
  if (event.online !== undefined) setFlag(agents, slot, { bit: ONLINE, on: event.online });
  if (event.tier !== undefined) agents.tier[slot] = event.tier;
  if (event.display_name !== undefined) agents.names[slot] = event.display_name;
  if (event.home !== undefined) agents.home[slot] = world.map.landmarkIndex.get(event.home) ?? 0;
}

function move(world: WorldState, event: WorldEventOf<'move'>): void {
  const slot = actor(world, event);
  const { map } = world;
  world.agents.earlier[slot] = walkOf(world, slot);
  const path = {
    from: tileIndex(map, event.from),
    to: tileIndex(map, event.to),
    startTick: event.start_tick,
    lead: event.lead,
  };
  setPath(world, slot, path);
  holdPlace(world, slot, placeAt(world, slot, path.to));
  setActivity(world, slot, { name: 'idle', untilTick: 0 });
  setFlag(world.agents, slot, { bit: ARRIVED, on: false });
  // Only `advance` creates and empties the wheel. A world that only follows another world's events has no wheel.
  world.wheel?.schedule(arrivalTick(walkOf(world, slot)), slot);
}

function actor(world: WorldState, event: { readonly agent_id: string; readonly seq: number }): number {
  const slot = world.agents.slotById.get(event.agent_id);
  if (slot === undefined) throw new Error(`event ${event.seq} names ${event.agent_id}, which is not in the world`);
  return slot;
}

const numberOf = (itemId: string): number => parseItemId(itemId)?.number ?? 0;

function create(world: WorldState, id: string, where: { readonly tile: number; readonly holder: number }): void {
  const parsed = parseItemId(id);
  if (parsed === null) throw new Error(`${id} is not the id of an item`);
  world.items.byNumber.set(parsed.number, { ...parsed, tile: -1, holder: -1 });
  world.items.next = Math.max(world.items.next, parsed.number + 1);
  moveItem(world, parsed.number, where);
}

const HANDLERS: { readonly [K in WorldEventKind]: (world: WorldState, event: WorldEventOf<K>) => void } = {
  spawn,
  despawn,
  state: changeState,
  move,
  arrive: (world, event) => setFlag(world.agents, actor(world, event), { bit: ARRIVED, on: true }),
  talk: (world, event) => {
    const slot = actor(world, event);
    world.agents.speech[slot] = event.text;
    world.agents.speechTick[slot] = event.tick;
  },
  emote: (world, event) => {
    const slot = actor(world, event);
    world.agents.emote[slot] = EMOTES.indexOf(event.emote) + 1;
    world.agents.emoteTick[slot] = event.tick;
  },
  pick_up: (world, event) => moveItem(world, numberOf(event.item_id), { tile: -1, holder: actor(world, event) }),
  drop: (world, event) => moveItem(world, numberOf(event.item_id), { tile: tileIndex(world.map, event), holder: -1 }),
  use: (world, event) => {
    const slot = actor(world, event);
    setActivity(world, slot, { name: event.activity, untilTick: event.until_tick });
    if (event.consumes !== null) removeItem(world, numberOf(event.consumes));
    if (event.gives !== null) create(world, event.gives, { tile: -1, holder: slot });
  },
  use_board: (world, event) =>
    setActivity(world, actor(world, event), { name: 'at_board', untilTick: event.until_tick }),
  item_spawn: (world, event) => create(world, event.item_id, { tile: tileIndex(world.map, event), holder: -1 }),
  item_remove: (world, event) => removeItem(world, numberOf(event.item_id)),
  // A world cannot replace its map in place: recovery replaces the whole world with `changeMap`.
  map: (world, event) => {
    throw new Error(
      `event ${event.seq} moves the world from map ${world.map.version} to map ${event.map_version}: recover it with a version of Hamlet that has that map`,
    );
  },
};

/** Applies the next event in place, with integers only. Throws only for a bug or for corrupt events. */
export function reduce(world: WorldState, event: WorldEvent): WorldState {
  if (event.seq !== world.seq + 1) throw new Error(`event ${event.seq} does not follow event ${world.seq}`);
  const handle = HANDLERS[event.kind] as (world: WorldState, event: WorldEvent) => void;
  handle(world, event);
  world.seq = event.seq;
  world.tick = event.tick;
  return world;
}
