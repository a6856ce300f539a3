import type { WorldMap } from '../../map/world-map.ts';
import { type AgentTable, createAgentTable } from './agent-table.ts';
import { CellIndex } from './cell-index.ts';
import { createItemTable, type ItemTable } from './item-table.ts';
import type { TimerWheel } from './timer-wheel.ts';

/**
 * The state of the world after all its events. Only `reduce` changes it, in place; `advance` also changes `advancedTo` and `wheel`. `map`
 * is static. `slotHolders`, `index`, `advancedTo` and `wheel` are derived and not part of a snapshot.
 */
export interface WorldState {
  readonly map: WorldMap;
  readonly seed: number;
  /** Number and tick of the last event. */
  seq: number;
  tick: number;
  readonly agents: AgentTable;
  readonly items: ItemTable;
  /** For each landmark slot, the slot plus one of the agent that holds it or walks to it; 0 if it is free. */
  readonly slotHolders: Uint32Array;
  readonly index: CellIndex;
  /** The tick up to which `advance` has applied its events; -1 before the first call. */
  advancedTo: number;
  /** Future arrivals. Null until the first `advance`: a world that only follows the log of another announces no arrivals. */
  wheel: TimerWheel | null;
}

/** A world without agents or items, before its first event. */
export function createWorld(map: WorldMap, seed: number): WorldState {
  return emptyWorld(map, { seed: seed >>> 0, seq: 0, tick: 0 });
}

/** A world without agents or items at a moment, which the restore of a snapshot fills. */
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

/** Slot of an agent; -1 if the agent is not in the world. */
export function slotOf(world: WorldState, agentId: string): number {
  return world.agents.slotById.get(agentId) ?? -1;
}
