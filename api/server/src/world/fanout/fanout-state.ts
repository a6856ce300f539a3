import type { WorldState, Walk } from '@hamlet/core';
import type { WorldEvent } from '@hamlet/contract';
import { agentEntry, cellOf, findItem, walkOf } from '@hamlet/core';
import type { FrameOut } from './frame-out.ts';

/** The shared state of the fan-out's parts. Mutable: it is the fan-out's memory. */
export interface FanoutState {
  world: WorldState;
  epoch: number;
  /** The tick of now and of the frames being made. */
  tick: number;
  /** Number of the last event that an update has sent. */
  toldSeq: number;
  /** A connection that ended before this event cannot be resumed: nothing is known of what changed since. */
  firstSeq: number;
  /** For each cell the last event that changed anything seen from it. */
  changedSeq: Float64Array;
  readonly pending: Pending;
  readonly counters: Counters;
  /** A frame builder for now; an urgent one does not advance the viewer's seq. */
  frame(kind: { readonly urgent: boolean }): FrameOut;
}

/** Counters since the start. */
export interface Counters {
  frames: number;
  bytes: number;
  updates: number;
  droppedUpdates: number;
  resyncs: number;
  closedSlow: number;
}

/** Changes of an agent since the last update. Only the sum counts: the newest path, the newest state. */
export interface PendingAgent {
  readonly slot: number;
  /** Cells its path crossed at the last update; none when it was not there. */
  readonly before: readonly number[];
  /** Its path at the last update. */
  readonly walk: Walk;
  moved: boolean;
  changed: boolean;
  renamed: boolean;
  /** The slot has another occupant than at the last update, or none: nothing known of it holds. */
  fresh: boolean;
}

/** Cells from which an item is seen now: that of its tile, or those its holder's path crosses. */
export function itemCells(world: WorldState, itemId: string): readonly number[] {
  const item = findItem(world.items, itemId);
  if (item === null) return [];
  return item.tile < 0 ? world.index.cellsOf(item.holder) : [cellOf(world.map, item.tile)];
}

/** Everything that happened since the last update. Mutable: it fills with events and is emptied by an update. */
export class Pending {
  readonly agents = new Map<number, PendingAgent>();
  /** Ids of changed items, with the cells they were seen from. */
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

  /** Call before and after the event is reduced: what it touches is where it was and where it is. `slot` is that of its agent at that moment, -1 for none. */
  touch(world: WorldState, event: WorldEvent, slot: number): void {
    const itemIds = 'item_id' in event ? [event.item_id] : event.kind === 'use' ? [event.gives, event.consumes] : [];
    for (const itemId of itemIds) if (itemId !== null) this.#item(world, itemId);
    if (slot < 0) return;
    if (event.kind === 'despawn')
      for (const itemId of agentEntry(world, slot, event.tick).inventory) this.#item(world, itemId);
    // Seen first after it was reduced, an agent was nowhere before.
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
