import type { WorldMap } from '../../map/world-map.ts';
import { type AgentTable, createAgentTable } from './agent-table.ts';
import { CellIndex } from './cell-index.ts';
import { createItemTable, type ItemTable } from './item-table.ts';

const BUCKETS = 1024;

/** Agent slots by due tick. An entry may be outdated: check it against the state. Mutable. */
export class TimerWheel {
  readonly #buckets: { tick: number; slot: number }[][] = Array.from({ length: BUCKETS }, () => []);
  #cursor: number;

  /** Begins after this tick. */
  constructor(tick: number) {
    this.#cursor = tick;
  }

  /** An entry whose tick is past is due at the next `take`. */
  schedule(tick: number, slot: number): void {
    this.#buckets[Math.max(tick, this.#cursor + 1) % BUCKETS]?.push({ tick, slot });
  }

  /** The entry of a replaced path stays until its tick. */
  get size(): number {
    return this.#buckets.reduce((sum, bucket) => sum + bucket.length, 0);
  }

  /** By tick, then slot. */
  take(tick: number): { tick: number; slot: number }[] {
    const due: { tick: number; slot: number }[] = [];
    const turns = Math.min(BUCKETS, tick - this.#cursor);
    for (let turn = 1; turn <= turns; turn += 1) {
      const at = (this.#cursor + turn) % BUCKETS;
      const bucket = this.#buckets[at] ?? [];
      if (bucket.length === 0) continue;
      due.push(...bucket.filter((entry) => entry.tick <= tick));
      this.#buckets[at] = bucket.filter((entry) => entry.tick > tick);
    }
    this.#cursor = Math.max(this.#cursor, tick);
    return due.toSorted((a, b) => a.tick - b.tick || a.slot - b.slot);
  }
}

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
export const slotOf = (world: WorldState, agentId: string): number => world.agents.slotById.get(agentId) ?? -1;
