import { agentEntry, cellOf, findItem, walkOf, type WorldState, type Walk } from '@hamlet/core';
import type { WorldEvent } from '@hamlet/contract';
import type { FrameOut } from './frame-out.ts';

export interface FanoutState {
  world: WorldState;
  epoch: number;
  tick: number;
  /** Number of the last event that an update has sent. */
  sentSeq: number;
  /** A connection that ended before this event cannot be resumed: the fan-out does not know what changed before it. */
  firstSeq: number;
  /** For each cell, the number of the last event that changed something visible from it. */
  changedSeq: Float64Array;
  readonly pending: Pending;
  readonly counters: Counters;
  /** Makes a frame builder for the current tick; an urgent frame does not advance the viewer's seq. */
  frame(kind: { readonly urgent: boolean }): FrameOut;
}

export interface Counters {
  frames: number;
  bytes: number;
  updates: number;
  droppedUpdates: number;
  resyncs: number;
  closedSlow: number;
}

export interface PendingAgent {
  readonly slot: number;
  /** The cells that the agent's path crossed at the last update; empty if the agent was not in the world. */
  readonly before: readonly number[];
  readonly walk: Walk;
  moved: boolean;
  changed: boolean;
  renamed: boolean;
  /** True if the occupant of the slot left or changed since the last update: viewers must forget what they know of the slot. */
  fresh: boolean;
}

/** The cells from which an item can be seen now: the cell of its tile, or the cells that its holder's path crosses. */
export function itemCells(world: WorldState, itemId: string): readonly number[] {
  const item = findItem(world.items, itemId);
  if (item === null) return [];
  return item.tile < 0 ? world.index.cellsOf(item.holder) : [cellOf(world.map, item.tile)];
}

export class Pending {
  readonly agents = new Map<number, PendingAgent>();
  /** Ids of changed items, with the cells from which each could be seen. */
  readonly items = new Map<string, Set<number>>();

  clear(): void {
    this.agents.clear();
    this.items.clear();
  }

  #agent(world: WorldState, slot: number, before: readonly number[]): PendingAgent {
    const known = this.agents.get(slot);
    if (known !== undefined) return known;
    const made = {
      slot,
      before,
      walk: walkOf(world, slot),
      moved: false,
      changed: false,
      renamed: false,
      fresh: false,
    };
    this.agents.set(slot, made);
    return made;
  }

  #item(world: WorldState, itemId: string): void {
    const cells = this.items.get(itemId) ?? new Set<number>();
    this.items.set(itemId, cells);
    for (const cell of itemCells(world, itemId)) cells.add(cell);
  }

  /** Call it before and after the event is reduced. `slot`: the event's agent at that moment, or -1. */
  touch(world: WorldState, event: WorldEvent, slot: number): void {
    const itemIds = 'item_id' in event ? [event.item_id] : event.kind === 'use' ? [event.gives, event.consumes] : [];
    for (const itemId of itemIds) if (itemId !== null) this.#item(world, itemId);
    if (slot < 0) return;
    if (event.kind === 'despawn')
      for (const itemId of agentEntry(world, slot, event.tick).inventory) this.#item(world, itemId);
    // A spawned agent has a slot only after the event was reduced; it had no cells before.
    const before = event.kind === 'spawn' ? [] : world.index.cellsOf(slot);
    this.#mark(this.#agent(world, slot, before), event);
  }

  #mark(pending: PendingAgent, event: WorldEvent): void {
    switch (event.kind) {
      case 'spawn':
      case 'despawn':
        pending.fresh = true;
        break;
      case 'move':
        pending.moved = true;
        break;
      case 'state':
        pending.changed = true;
        if (event.display_name !== undefined) pending.renamed = true;
        break;
      case 'emote':
      case 'use':
      case 'use_board':
        pending.changed = true;
        break;
      default:
        break;
    }
  }
}
