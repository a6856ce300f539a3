import type { FrameMessage } from '@hamlet/contract';
import { ALIVE, agentEntry, agentShowing, findItem, frameItem, has, pathRecord, tileIndex, turningPoint } from '@hamlet/core';
import type { WorldState } from '@hamlet/core';
import { makeChunk } from './frame-out.ts';
import type { Chunk } from './frame-out.ts';
import { itemCells } from './pending.ts';
import type { Pending, PendingAgent } from './pending.ts';

/** One agent's change, ready for every viewer: for those who know it, for those it is new to, for those it leaves. */
export interface Change {
  readonly slot: number;
  readonly fresh: boolean;
  /** The cell whose viewers all know the agent and go on seeing it, so that its buffer can be sent unread; -1 when there is none. */
  readonly sharedCell: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly delta: Chunk;
  /** Serial of the viewer that was last told. */
  toldTo: number;
}

/** An item's change and the cells it is seen from. */
export interface ItemChange {
  readonly cells: ReadonlySet<number>;
  readonly chunk: Chunk;
  toldTo: number;
}

/** What one update says in one cell. */
export interface CellBatch {
  /** The deltas of all agents that share this cell before and after: one buffer for all who look at it. */
  shared: Chunk | null;
  /** Changes that touch the cell and are shared in another or none. */
  readonly others: Change[];
  readonly items: ItemChange[];
}

/** One update: built once, then read by every viewer. */
export interface Batch {
  readonly cells: ReadonlyMap<number, CellBatch>;
  readonly bySlot: ReadonlyMap<number, Change>;
}

/** Who is in a slot. */
export function identity(world: WorldState, slot: number): FrameMessage {
  return { kind: 'agent', agent: slot, agent_id: world.agents.ids[slot] ?? '', display_name: world.agents.names[slot] ?? '' };
}

/** The agent with everything drawn of it. */
export function entryMessage(world: WorldState, slot: number, tick: number): FrameMessage {
  return { kind: 'spawn', entry: agentEntry(world, slot, tick) };
}

/** A path that the viewer can continue from the one before needs no beginning. */
function shortened(world: WorldState, pending: PendingAgent, message: FrameMessage): FrameMessage {
  if (message.kind !== 'path' || pending.fresh) return message;
  const { from, lead, to, start_tick } = message.path;
  const point = turningPoint(pending.walk, start_tick, world.map.width);
  const follows = point.tile === tileIndex(world.map, from) && (lead === 0 || lead === point.lead);
  return follows ? { kind: 'turn', agent: message.agent, start_tick, dx: to.x - from.x, dy: to.y - from.y } : message;
}

function deltaMessages(world: WorldState, pending: PendingAgent, tick: number): FrameMessage[] {
  const { slot: agent } = pending;
  if (!has(world.agents, agent, ALIVE)) return [{ kind: 'despawn', agent }];
  const messages: FrameMessage[] = [];
  if (pending.renamed) messages.push(identity(world, agent));
  if (pending.moved) messages.push({ kind: 'path', agent, path: pathRecord(world, agent) });
  if (pending.changed) messages.push({ kind: 'state', agent, ...agentShowing(world, agent, tick) });
  return messages;
}

/** Both paths pass here: the new one begins on the old one. */
function sharedCellOf(pending: PendingAgent, after: readonly number[]): number {
  return pending.fresh ? -1 : (after.find((cell) => pending.before.includes(cell)) ?? -1);
}

function changeOf(world: WorldState, pending: PendingAgent, tick: number): Change {
  const after = world.index.cellsOf(pending.slot);
  const messages = deltaMessages(world, pending, tick);
  const short = messages.map((message) => shortened(world, pending, message));
  return {
    slot: pending.slot, fresh: pending.fresh, sharedCell: sharedCellOf(pending, after), before: pending.before, after,
    delta: makeChunk(messages, tick, short), toldTo: 0,
  };
}

function joinChunks(chunks: readonly Chunk[]): Chunk {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.bytes, at);
    at += chunk.bytes.length;
  }
  return { messages: chunks.flatMap((chunk) => chunk.messages), bytes };
}

class BatchBuilder {
  readonly cells = new Map<number, CellBatch>();
  readonly bySlot = new Map<number, Change>();
  readonly #shared = new Map<number, Chunk[]>();

  #cell(cell: number): CellBatch {
    const known = this.cells.get(cell);
    if (known !== undefined) return known;
    const made: CellBatch = { shared: null, others: [], items: [] };
    this.cells.set(cell, made);
    return made;
  }

  agent(change: Change): void {
    if (change.delta.messages.length === 0 && !change.fresh) return;
    this.bySlot.set(change.slot, change);
    for (const cell of new Set([...change.before, ...change.after])) {
      const batch = this.#cell(cell);
      if (cell !== change.sharedCell) batch.others.push(change);
      else this.#shared.set(cell, [...(this.#shared.get(cell) ?? []), change.delta]);
    }
  }

  item(change: ItemChange): void {
    for (const cell of change.cells) this.#cell(cell).items.push(change);
  }

  finish(): Batch {
    for (const [cell, chunks] of this.#shared) this.#cell(cell).shared = joinChunks(chunks);
    return this;
  }
}

function itemMessage(world: WorldState, itemId: string): FrameMessage {
  const item = findItem(world.items, itemId);
  return { kind: 'item', item: (item === null ? null : frameItem(world, item.number)) ?? { item_id: itemId, position: null, held_by: null } };
}

/** Builds the update of everything pending. */
export function buildBatch(world: WorldState, pending: Pending, tick: number): Batch {
  const builder = new BatchBuilder();
  for (const agent of pending.agents.values()) builder.agent(changeOf(world, agent, tick));
  for (const [itemId, cells] of pending.items) {
    const seenFrom = new Set([...cells, ...itemCells(world, itemId)]);
    builder.item({ cells: seenFrom, chunk: makeChunk([itemMessage(world, itemId)], tick), toldTo: 0 });
  }
  return builder.finish();
}
