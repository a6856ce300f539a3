import { ACTIVITIES, EMOTES, EMOTE_TICKS } from '@hamlet/contract';
import type { AgentEntry, FrameItem, FrameMessageOf, PathRecord } from '@hamlet/contract';
import { tilePosition } from '../map/path-tiles.ts';
import { AWAKE, ONLINE, has } from '../world/state/agent-table.ts';
import { speechAt } from '../world/describe.ts';
import { itemId } from '../world/state/item-table.ts';
import { walkOf } from '../world/position.ts';
import type { Walk } from '../world/state/walk.ts';
import type { WorldState } from '../world/state/state.ts';

/** Viewers draw at most this many ticks in the past. */
const DRAWN_BACK_TICKS = 10;

function recordOf(world: WorldState, { tiles, lead, startTick }: Walk): PathRecord {
  const first = tiles[0] ?? 0;
  return {
    from: tilePosition(world.map, first),
    lead,
    to: tilePosition(world.map, tiles.at(-1) ?? first),
    start_tick: startTick,
  };
}

/** The agent's path, even a finished one, because server and viewer must list the agent in the same cells. */
export const pathRecord = (world: WorldState, slot: number): PathRecord => recordOf(world, walkOf(world, slot));

/** The path before the present one; null once viewers no longer draw the agent on it. */
function earlierRecord(world: WorldState, slot: number, tick: number): PathRecord | null {
  const earlier = world.agents.earlier[slot] ?? null;
  return earlier === null || tick > walkOf(world, slot).startTick + DRAWN_BACK_TICKS ? null : recordOf(world, earlier);
}

export function agentShowing(
  world: WorldState,
  slot: number,
  tick: number,
): Omit<FrameMessageOf<'state'>, 'kind' | 'agent'> {
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

export function frameItem(world: WorldState, number: number): FrameItem | null {
  const item = world.items.byNumber.get(number);
  if (item === undefined) return null;
  return {
    item_id: itemId(item.kind, number),
    position: item.tile < 0 ? null : tilePosition(world.map, item.tile),
    held_by: item.holder < 0 ? null : item.holder,
  };
}

export function agentEntry(world: WorldState, slot: number, tick: number): AgentEntry {
  return {
    agent: slot,
    path: pathRecord(world, slot),
    before: earlierRecord(world, slot, tick),
    ...agentShowing(world, slot, tick),
    speech: speechAt(world, slot, tick),
    inventory: (world.agents.carried[slot] ?? []).flatMap((number) => frameItem(world, number)?.item_id ?? []),
  };
}
