import type { FrameMessage } from '@hamlet/contract';
import {
  ALIVE,
  agentEntry,
  agentShowing,
  findItem,
  frameItem,
  has,
  pathRecord,
  tileIndex,
  turningPoint,
} from '@hamlet/core';
import type { WorldState } from '@hamlet/core';
import { makeChunk, type Chunk } from './frame-out.ts';
import { itemCells, type Pending, type PendingAgent } from './fanout-state.ts';

interface ItemChange {
  readonly cells: ReadonlySet<number>;
  readonly chunk: Chunk;
  sentTo: number;
}

/** One update: built once, then read by every viewer. */
export type Batch = Pick<BatchBuilder, 'cells' | 'bySlot'>;

export function identity(world: WorldState, slot: number): FrameMessage {
  return {
    kind: 'agent',
    agent: slot,
    agent_id: world.agents.ids[slot] ?? '',
    display_name: world.agents.names[slot] ?? '',
  };
}

export function entryMessage(world: WorldState, slot: number, tick: number): FrameMessage {
  return { kind: 'spawn', entry: agentEntry(world, slot, tick) };
}

/** A turn omits the beginning of a path that the viewer can continue. */
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

/** A cell of both paths; -1 if there is none. Usually there is one, because a new path begins on the old one. */
function sharedCellOf(pending: PendingAgent, after: readonly number[]): number {
  return pending.fresh ? -1 : (after.find((cell) => pending.before.includes(cell)) ?? -1);
}

/** True if an update must report the agent. An arrival or speech alone changes nothing that an update carries. */
function isNews(world: WorldState, { slot, fresh, moved, changed, renamed }: PendingAgent): boolean {
  return fresh || moved || changed || renamed || !has(world.agents, slot, ALIVE);
}

/**
 * One agent's change, for all viewers: those that know the agent, those that see it for the first time, and those whose
 * view it leaves. Encoded when the first viewer reads it, because most of a large map has no viewer.
 */
export class Change {
  readonly slot: number;
  readonly fresh: boolean;
  /** A cell whose viewers all know the agent and still see it, so that they can all get the same buffer; -1 if there is none. */
  readonly sharedCell: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Serial number of the viewer that received this change last; prevents sending it twice to the same viewer. */
  sentTo = 0;
  readonly #world: WorldState;
  readonly #pending: PendingAgent;
  readonly #tick: number;
  #delta: Chunk | null = null;
  #entry: Chunk | null = null;

  constructor(world: WorldState, pending: PendingAgent, tick: number) {
    this.#world = world;
    this.#pending = pending;
    this.#tick = tick;
    this.slot = pending.slot;
    this.fresh = pending.fresh;
    this.before = pending.before;
    this.after = world.index.cellsOf(pending.slot);
    this.sharedCell = sharedCellOf(pending, this.after);
  }

  get delta(): Chunk {
    this.#delta ??= this.#encode();
    return this.#delta;
  }

  get entry(): Chunk {
    this.#entry ??= makeChunk([entryMessage(this.#world, this.slot, this.#tick)], this.#tick);
    return this.#entry;
  }

  #encode(): Chunk {
    const messages = deltaMessages(this.#world, this.#pending, this.#tick);
    const short = messages.map((message) => shortened(this.#world, this.#pending, message));
    return makeChunk(messages, this.#tick, short);
  }
}

function joinChunks(chunks: readonly Chunk[]): Chunk {
  return {
    messages: chunks.flatMap(({ messages }) => messages),
    bytes: Buffer.concat(chunks.map(({ bytes }) => bytes)),
  };
}

class CellBatch {
  /** Changes that touch the cell but belong to the shared buffer of another cell or of none. */
  readonly others: Change[] = [];
  readonly items: ItemChange[] = [];
  readonly sharing: Change[] = [];
  #shared: Chunk | null = null;

  /** The deltas of all agents that share this cell before and after: one buffer, joined when the first viewer of the cell reads it. */
  get shared(): Chunk | null {
    if (this.#shared === null && this.sharing.length > 0)
      this.#shared = joinChunks(this.sharing.map(({ delta }) => delta));
    return this.#shared;
  }
}

class BatchBuilder {
  readonly cells = new Map<number, CellBatch>();
  readonly bySlot = new Map<number, Change>();
  readonly #watched: Uint8Array;

  constructor(watched: Uint8Array) {
    this.#watched = watched;
  }

  #cell(cell: number): CellBatch {
    const known = this.cells.get(cell) ?? new CellBatch();
    this.cells.set(cell, known);
    return known;
  }

  #list(cell: number, change: Change): void {
    if (this.#watched[cell] === 0) return;
    const batch = this.#cell(cell);
    if (cell === change.sharedCell) batch.sharing.push(change);
    else batch.others.push(change);
  }

  agent(change: Change): void {
    this.bySlot.set(change.slot, change);
    for (const cell of change.before) this.#list(cell, change);
    for (const cell of change.after) if (!change.before.includes(cell)) this.#list(cell, change);
  }

  item(change: ItemChange): void {
    for (const cell of change.cells) this.#cell(cell).items.push(change);
  }
}

function itemMessage(world: WorldState, itemId: string): FrameMessage {
  const item = findItem(world.items, itemId);
  return {
    kind: 'item',
    item: (item === null ? null : frameItem(world, item.number)) ?? { item_id: itemId, position: null, held_by: null },
  };
}

/** `watched` has 1 for each cell that a viewer sees in detail; the update omits all other cells. */
export function buildBatch(
  world: WorldState,
  pending: Pending,
  now: { readonly tick: number; readonly watched: Uint8Array },
): Batch {
  const { tick, watched } = now;
  const builder = new BatchBuilder(watched);
  for (const agent of pending.agents.values()) if (isNews(world, agent)) builder.agent(new Change(world, agent, tick));
  for (const [itemId, cells] of pending.items) {
    const seenFrom = new Set([...cells, ...itemCells(world, itemId)]);
    builder.item({ cells: seenFrom, chunk: makeChunk([itemMessage(world, itemId)], tick), sentTo: 0 });
  }
  return builder;
}
