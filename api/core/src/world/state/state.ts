import type { WorldMap } from '../../map/world-map.ts';
import { type AgentTable, createAgentTable } from './agent-table.ts';
import { CellIndex } from './cell-index.ts';
import { createItemTable, type ItemTable } from './item-table.ts';
import type { TimerWheel } from './timer-wheel.ts';

/** Only `reduce` changes it. `slotHolders`, `index`, `advancedTo` and `wheel` are derived and not in a snapshot. */
export interface WorldState {
  readonly map: WorldMap;
  readonly seed: number;
  /** Number of the last event. */
  seq: number;
  tick: number;
  readonly agents: AgentTable;
  readonly items: ItemTable;
  /** For each landmark slot, the agent that holds it or walks to it, by its agent slot plus one; 0 if none does. */
  readonly slotHolders: Uint32Array;
  readonly index: CellIndex;
  /** -1 before the first `advance`. */
  advancedTo: number;
  /** Future arrivals; null in a world that only follows the events of another. */
  wheel: TimerWheel | null;
}

export function createWorld(map: WorldMap, seed: number): WorldState {
  return emptyWorld(map, { seed: seed >>> 0, seq: 0, tick: 0 });
}

/** A world without agents and items. `restoreWorld` and `changeMap` fill it. */
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

/** -1 if the agent is not in the world. */
export function slotOf(world: WorldState, agentId: string): number {
  return world.agents.slotById.get(agentId) ?? -1;
}
