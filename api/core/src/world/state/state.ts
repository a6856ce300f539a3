import type { WorldMap } from '../../map/world-map.ts';
import { type AgentTable, createAgentTable } from './agent-table.ts';
import { CellIndex } from './cell-index.ts';
import { createItemTable, type ItemTable } from './item-table.ts';
import type { TimerWheel } from './timer-wheel.ts';

/**
 * The world: the fold of all its events. Changed in place by `reduce` and by nothing else. `map` is static; `slotHolders`, `index`,
 * `advancedTo` and `wheel` are derived and not part of a snapshot.
 */
export interface WorldState {
  readonly map: WorldMap;
  readonly seed: number;
  /** Number and tick of the last event. */
  seq: number;
  tick: number;
  readonly agents: AgentTable;
  readonly items: ItemTable;
  /** For each landmark slot the agent that holds it or walks to it, plus one. */
  readonly slotHolders: Uint32Array;
  readonly index: CellIndex;
  /** The tick the world's own events have been made up to; -1 before the first. */
  advancedTo: number;
  /** Arrivals to come. Null until `advance` is first called: a world that only follows a log announces no arrivals, so it keeps no queue of them. */
  wheel: TimerWheel | null;
}

/** A world without agents or items, before its first event. */
export function createWorld(map: WorldMap, seed: number): WorldState {
  return emptyWorld(map, { seed: seed >>> 0, seq: 0, tick: 0 });
}

/** A world without agents or items at a moment; restoring fills it. */
export function emptyWorld(
  map: WorldMap,
  moment: { readonly seed: number; readonly seq: number; readonly tick: number },
): WorldState {
  return {
    map,
    ...moment,
    agents: createAgentTable(),
    items: createItemTable(),
    slotHolders: new Uint32Array(map.slots.length),
    index: new CellIndex(map),
    advancedTo: moment.seq === 0 ? -1 : moment.tick,
    wheel: null,
  };
}

/** Slot of an agent, or -1 when it is not in the world. */
export function slotOf(world: WorldState, agentId: string): number {
  return world.agents.slotById.get(agentId) ?? -1;
}
