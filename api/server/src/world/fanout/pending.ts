import type { WorldEvent } from '@hamlet/contract';
import { cellOf, parseItemId, slotOf } from '@hamlet/core';
import type { WorldState } from '@hamlet/core';

/** What has become of an agent since the last update. Only the sum counts: the newest path, the newest state. */
export interface PendingAgent {
  readonly slot: number;
  /** Cells its path crossed at the last update; none when it was not there. */
  readonly before: readonly number[];
  moved: boolean;
  changed: boolean;
  renamed: boolean;
  /** The slot has another occupant than at the last update, or none: nothing known of it holds. */
  fresh: boolean;
}

/** What has become of an item: the cells from which the change is seen. */
export interface PendingItem {
  readonly number: number;
  readonly cells: Set<number>;
}

/** Everything that happened since the last update. Mutable: it fills with events and is emptied by an update. */
export class Pending {
  readonly agents = new Map<number, PendingAgent>();
  readonly items = new Map<number, PendingItem>();

  clear(): void {
    this.agents.clear();
    this.items.clear();
  }

  #agent(world: WorldState, slot: number): PendingAgent {
    const known = this.agents.get(slot);
    if (known !== undefined) return known;
    const made = { slot, before: world.index.cellsOf(slot), moved: false, changed: false, renamed: false, fresh: false };
    this.agents.set(slot, made);
    return made;
  }

  /** Adds the cells from which an item is seen where it is now. */
  #item(world: WorldState, itemId: string): void {
    const number = parseItemId(itemId)?.number ?? 0;
    const pending = this.items.get(number) ?? { number, cells: new Set<number>() };
    this.items.set(number, pending);
    const item = world.items.byNumber.get(number);
    if (item === undefined) return;
    if (item.tile >= 0) pending.cells.add(cellOf(world.map, item.tile));
    for (const cell of world.index.cellsOf(item.holder)) pending.cells.add(cell);
  }

  /** Call before and after the event is reduced: what it touches is where it was and where it is. */
  touch(world: WorldState, event: WorldEvent): void {
    const itemIds = 'item_id' in event ? [event.item_id] : event.kind === 'use' ? [event.gives, event.consumes] : [];
    for (const itemId of itemIds) if (itemId !== null) this.#item(world, itemId);
    if (!('agent_id' in event)) return;
    const slot = slotOf(world, event.agent_id);
    if (slot < 0) return;
    if (event.kind === 'despawn') for (const number of world.agents.carried[slot] ?? []) this.#itemNumber(world, number);
    this.#mark(this.#agent(world, slot), event);
  }

  #itemNumber(world: WorldState, number: number): void {
    const item = world.items.byNumber.get(number);
    if (item !== undefined) this.#item(world, `${item.kind}-${number}`);
  }

  /** What a despawned agent carried lies somewhere now. */
  dropped(world: WorldState, numbers: readonly number[]): void {
    for (const number of numbers) this.#itemNumber(world, number);
  }

  #mark(pending: PendingAgent, event: WorldEvent): void {
    switch (event.kind) {
      case 'spawn': case 'despawn': pending.fresh = true; break;
      case 'move': pending.moved = true; break;
      case 'state':
        pending.changed = true;
        if (event.display_name !== undefined) pending.renamed = true;
        break;
      case 'emote': case 'use': case 'use_board': pending.changed = true; break;
      default: break;
    }
  }
}
