import { ACTIVITIES, EMOTES, EMOTE_TICKS } from '@hamlet/contract';
import type { AgentEntry, FrameItem, FrameMessageOf, PathRecord } from '@hamlet/contract';
import { stepBetween } from '../map/directions.ts';
import { tilePosition } from '../map/path-tiles.ts';
import { AWAKE, ONLINE, has } from '../world/agent-table.ts';
import { speechAt } from '../world/describe.ts';
import { itemId } from '../world/item-table.ts';
import { arrivalTick, walkOf } from '../world/position.ts';
import type { WorldState } from '../world/state.ts';

/** Viewers draw up to this far in the past; an agent that has stood longer is written as standing. */
const STANDING_AFTER_TICKS = 50;

/** The path of an agent as viewers need it at a tick. */
export function pathRecord(world: WorldState, slot: number, tick: number): PathRecord {
  const { map } = world;
  const walk = walkOf(world, slot);
  const last = walk.tiles.at(-1) ?? 0;
  const from = tilePosition(map, walk.tiles[0] ?? last);
  if (tick < arrivalTick(walk) + STANDING_AFTER_TICKS) return { from, lead: walk.lead, to: tilePosition(map, last), start_tick: walk.startTick };
  const before = walk.tiles.at(-2);
  const lead = before === undefined ? walk.lead : stepBetween(before, last, map.width);
  const stand = tilePosition(map, last);
  return { from: stand, lead, to: stand, start_tick: tick - STANDING_AFTER_TICKS };
}

/** Power, presence, activity and emote of an agent at a tick. */
export function agentShowing(world: WorldState, slot: number, tick: number): Omit<FrameMessageOf<'state'>, 'kind' | 'agent'> {
  const { agents } = world;
  const until_tick = agents.activityUntil[slot] ?? 0;
  const emoteTick = agents.emoteTick[slot] ?? 0;
  const emote = EMOTES[(agents.emote[slot] ?? 0) - 1];
  return {
    awake: has(agents, slot, AWAKE),
    online: has(agents, slot, ONLINE),
    activity: tick < until_tick ? { activity: ACTIVITIES[agents.activity[slot] ?? 0] ?? 'idle', until_tick } : null,
    emote: emote !== undefined && tick < emoteTick + EMOTE_TICKS ? { emote, tick: emoteTick } : null,
  };
}

/** An item as frames tell it; a number that names none is gone. */
export function frameItem(world: WorldState, number: number): FrameItem | null {
  const item = world.items.byNumber.get(number);
  if (item === undefined) return null;
  return {
    item_id: itemId(item.kind, number),
    position: item.tile < 0 ? null : tilePosition(world.map, item.tile),
    held_by: item.holder < 0 ? null : item.holder,
  };
}

/** Everything a viewer draws of an agent at a tick. */
export function agentEntry(world: WorldState, slot: number, tick: number): AgentEntry {
  return {
    agent: slot,
    path: pathRecord(world, slot, tick),
    ...agentShowing(world, slot, tick),
    speech: speechAt(world, slot, tick),
    inventory: (world.agents.carried[slot] ?? []).flatMap((number) => frameItem(world, number)?.item_id ?? []),
  };
}
