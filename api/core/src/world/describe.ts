import { ACTIVITIES, AROUND_MAX_AGENTS, AROUND_MAX_ITEMS, SPEECH_TICKS } from '@hamlet/contract';
import type { Activity, AgentPlace, ItemView, TilePosition } from '@hamlet/contract';
import { tilePosition } from '../map/path-tiles.ts';
import { landmarkAt, zoneAt } from '../map/places.ts';
import { ALIVE, AWAKE, has } from './state/agent-table.ts';
import { type Item, itemId } from './state/item-table.ts';
import { itemsNear, slotsNear } from './near.ts';
import { isMoving, positionAt, walkOf } from './position.ts';
import { arrivalTick } from './state/walk.ts';
import { slotOf, type WorldState } from './state/state.ts';

export function activityAt(world: WorldState, slot: number, tick: number): Activity {
  const { agents } = world;
  if (!has(agents, slot, AWAKE)) return 'sleeping';
  if (isMoving(world, slot, tick)) return 'walking';
  return tick < (agents.activityUntil[slot] ?? 0) ? (ACTIVITIES[agents.activity[slot] ?? 0] ?? 'idle') : 'idle';
}

/** The last speech of an agent; null once it is SPEECH_TICKS old. */
export function speechAt(world: WorldState, slot: number, tick: number): { text: string; tick: number } | null {
  const text = world.agents.speech[slot] ?? '';
  const spokenTick = world.agents.speechTick[slot] ?? 0;
  return text === '' || tick >= spokenTick + SPEECH_TICKS ? null : { text, tick: spokenTick };
}

function movingTo(world: WorldState, slot: number, tick: number): AgentPlace['moving_to'] {
  if (!isMoving(world, slot, tick)) return null;
  const to = tilePosition(world.map, world.agents.to[slot] ?? 0);
  return { ...to, landmark_id: landmarkIdAt(world, to), arrives_tick: arrivalTick(walkOf(world, slot)) };
}

function inventory(world: WorldState, slot: number): AgentPlace['inventory'] {
  return (world.agents.carried[slot] ?? []).flatMap((number) => {
    const item = world.items.byNumber.get(number);
    return item === undefined ? [] : [{ item_id: itemId(item.kind, number), kind: item.kind }];
  });
}

function landmarkIdAt(world: WorldState, position: TilePosition): string | null {
  return landmarkAt(world.map, position)?.landmark_id ?? null;
}

function describe(world: WorldState, slot: number, tick: number): AgentPlace {
  const { agents, map } = world;
  const position = positionAt(world, slot, tick);
  const moving = movingTo(world, slot, tick);
  return {
    agent_id: agents.ids[slot] ?? '',
    display_name: agents.names[slot] ?? '',
    position,
    moving_to: moving,
    activity: activityAt(world, slot, tick),
    speech: speechAt(world, slot, tick),
    inventory: inventory(world, slot),
    zone_id: zoneAt(map, position)?.zone_id ?? null,
    landmark_id: moving === null ? landmarkIdAt(world, position) : null,
    home: map.landmarks[agents.home[slot] ?? 0]?.landmark_id ?? '',
  };
}

export function agentPlace(world: WorldState, agentId: string, tick: number): AgentPlace | null {
  const slot = slotOf(world, agentId);
  return slot < 0 ? null : describe(world, slot, tick);
}

/** Lowest first. */
export function aliveSlots(world: WorldState): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < world.agents.top; slot += 1) if (has(world.agents, slot, ALIVE)) slots.push(slot);
  return slots;
}

/** In the order of slots. */
export function agentPlaces(world: WorldState, tick: number): AgentPlace[] {
  return aliveSlots(world).map((slot) => describe(world, slot, tick));
}

function itemView(world: WorldState, item: Item): ItemView {
  return {
    item_id: itemId(item.kind, item.number),
    kind: item.kind,
    position: item.tile < 0 ? null : tilePosition(world.map, item.tile),
    held_by: item.holder < 0 ? null : (world.agents.ids[item.holder] ?? null),
  };
}

/** In the order of item numbers. */
export function itemViews(world: WorldState): ItemView[] {
  return [...world.items.byNumber.values()]
    .toSorted((a, b) => a.number - b.number)
    .map((item) => itemView(world, item));
}

/**
 * The agent itself, and the nearest agents and items on the ground within a radius in tiles, up to the limits of an answer. The agent
 * `also` is included at any distance.
 */
export function surroundingOf(
  world: WorldState,
  agentId: string,
  look: { readonly radius: number; readonly tick: number; readonly also: string | undefined },
): Readonly<{ agents: readonly AgentPlace[]; items: readonly ItemView[] }> {
  const self = slotOf(world, agentId);
  if (self < 0) return { agents: [], items: [] };
  const { tick, radius } = look;
  const center = positionAt(world, self, tick);
  const other = look.also === undefined ? -1 : slotOf(world, look.also);
  const first = [self, other].filter((slot, index, all) => slot >= 0 && all.indexOf(slot) === index);
  const near = slotsNear(world, center, { radius, tick }).filter((slot) => !first.includes(slot));
  const lying = itemsNear(world, center, radius).slice(0, AROUND_MAX_ITEMS);
  return {
    agents: [...first, ...near].slice(0, AROUND_MAX_AGENTS).map((slot) => describe(world, slot, tick)),
    items: lying.flatMap((number) => {
      const item = world.items.byNumber.get(number);
      return item === undefined ? [] : [itemView(world, item)];
    }),
  };
}
