import { CLOSE_SLOW_VIEWER, type FrameMessage, type WorldEvent, type WorldEventOf } from '@hamlet/contract';
import { aliveSlots, cellOf, reduce, slotOf, tileAt, type WorldState } from '@hamlet/core';
import { buildBatch, type Batch } from './batch.ts';
import { eachCell, rectHas } from './cell-rect.ts';
import { Pending, itemCells, type Counters, type FanoutState } from './fanout-state.ts';
import { FrameOut } from './frame-out.ts';
import { sendCells } from './keyframes.ts';
import { CLOCK_EVERY_TICKS, CLUSTER_EVERY_TICKS, UPDATE_EVERY_TICKS, URGENT_AFTER_MS } from './limits.ts';
import { Viewer } from './viewer.ts';
import type { FrameFormat, ViewerPort } from './pressure.ts';

/** Runs a function a moment later, so that all speech of that moment leaves in one frame. */
type Soon = (run: () => void) => void;

const afterAMoment: Soon = (run) => {
  setTimeout(run, URGENT_AFTER_MS);
};

/**
 * Sends viewers the changes in their part of the world. It takes the committed events of one replica's world, in order,
 * and the ticks of its clock. It does no I/O except through the viewers' ports. It builds each update once per cell and
 * only joins the parts per viewer.
 */
export class Fanout {
  readonly #viewers = new Set<Viewer>();
  readonly #state: FanoutState;
  readonly #soon: Soon;
  readonly #updateHearers: ((tick: number) => void)[] = [];
  #said: { readonly slot: number; readonly message: FrameMessage }[] = [];
  #lastUpdate = 0;
  #lastClusters = 0;

  /** @param options.world the replica's world; only events that pass through the fan-out may change it */
  constructor(options: { readonly world: WorldState; readonly epoch: number; readonly soon?: Soon }) {
    this.#soon = options.soon ?? afterAMoment;
    const pending = new Pending();
    const counters = { frames: 0, bytes: 0, updates: 0, droppedUpdates: 0, resyncs: 0, closedSlow: 0 };
    this.#state = {
      ...start(options.world, options.epoch),
      pending,
      counters,
      frame: ({ urgent }) => {
        const { epoch, tick, sentSeq, world } = this.#state;
        return new FrameOut(
          { epoch: epoch & 0xffff, tick, seq: sentSeq, urgent },
          (slot) => world.agents.ids[slot] || undefined,
        );
      },
    };
  }

  /** Adds a viewer's socket. The fan-out answers the viewer's first `view` message with hello and keyframes. */
  attach(port: ViewerPort, options: { readonly format: FrameFormat }): Viewer {
    const leave = (viewer: Viewer): void => {
      this.#viewers.delete(viewer);
    };
    const viewer = new Viewer(this.#state, { port, format: options.format, leave });
    this.#viewers.add(viewer);
    return viewer;
  }

  commit(event: WorldEvent): void {
    this.before(event);
    reduce(this.#state.world, event);
    this.after(event);
  }

  /** For a world that the caller reduces: call this before the caller applies an event, and {@link after} afterwards. */
  before(event: WorldEvent): void {
    const slot = this.#touch(event);
    if (event.kind === 'despawn') this.#farewell(slot);
  }

  after(event: WorldEvent): void {
    this.#touch(event);
    if (event.kind === 'talk') this.#receive(event);
    if (event.kind === 'spawn') this.#repin(event.agent_id);
  }

  #touch(event: WorldEvent): number {
    const { world, pending } = this.#state;
    const slot = 'agent_id' in event ? slotOf(world, event.agent_id) : -1;
    pending.touch(world, event, slot);
    this.#note(event, slot);
    return slot;
  }

  #note(event: WorldEvent, slot: number): void {
    const { world, pending, changedSeq } = this.#state;
    for (const cell of world.index.cellsOf(slot)) changedSeq[cell] = event.seq;
    if ('item_id' in event) for (const cell of pending.items.get(event.item_id) ?? []) changedSeq[cell] = event.seq;
    if (event.kind !== 'despawn') return;
    for (const itemId of pending.items.keys())
      for (const cell of itemCells(world, itemId)) changedSeq[cell] = event.seq;
  }

  /** Makes every viewer forget the name and the pin of a slot, because another agent may get the slot. */
  #farewell(slot: number): void {
    for (const viewer of this.#viewers) {
      viewer.known.forget(slot);
      viewer.pressure.stalePins.delete(slot);
      if (viewer.early.delete(slot)) viewer.say({ kind: 'despawn', agent: slot });
      if (viewer.pinned.delete(slot)) viewer.say({ kind: 'despawn', agent: slot });
    }
  }

  #repin(agentId: string): void {
    const slot = slotOf(this.#state.world, agentId);
    for (const viewer of this.#viewers) if (viewer.pinnedIds.has(agentId)) viewer.pin(slot);
  }

  #receive(event: WorldEventOf<'talk'>): void {
    const slot = slotOf(this.#state.world, event.agent_id);
    if (this.#said.length === 0) this.#soon(() => this.urgent());
    this.#said.push({ slot, message: { kind: 'speech', agent: slot, tick: event.tick, text: event.text } });
  }

  /** Sends all speech since the last call to the viewers that see the speaker. */
  urgent(): void {
    const said = this.#said;
    this.#said = [];
    const out = this.#state.frame({ urgent: true });
    for (const viewer of this.#viewers) {
      if (viewer.zoom !== 'near' || !viewer.pressure.open) continue;
      out.begin(viewer.format);
      for (const { slot, message } of said) {
        if (viewer.pinned.has(slot) || viewer.sees(this.#state.world.index.cellsOf(slot))) out.message(message);
      }
      viewer.transmit(out);
    }
  }

  tick(tick: number): void {
    this.#state.tick = tick;
    if (tick - this.#lastUpdate >= UPDATE_EVERY_TICKS) this.flush();
    if (tick - this.#lastClusters >= CLUSTER_EVERY_TICKS) this.#sendClusters();
  }

  onUpdate(receive: (tick: number) => void): void {
    this.#updateHearers.push(receive);
  }

  flush(): void {
    const state = this.#state;
    for (const receive of this.#updateHearers) receive(state.tick);
    const batch = buildBatch(state.world, state.pending, { tick: state.tick, watched: this.#watchedCells() });
    state.sentSeq = state.world.seq;
    state.pending.clear();
    state.counters.updates += 1;
    this.#lastUpdate = state.tick;
    const out = state.frame({ urgent: false });
    for (const viewer of this.#viewers) this.#serve(viewer, batch, out);
  }

  #watchedCells(): Uint8Array {
    const { map } = this.#state.world;
    const watched = new Uint8Array(map.cellsWide * map.cellsHigh);
    for (const viewer of this.#viewers) {
      eachCell(viewer.cells, map, (cell) => {
        watched[cell] = 1;
      });
    }
    return watched;
  }

  #serve(viewer: Viewer, batch: Batch, out: FrameOut): void {
    const { counters, tick } = this.#state;
    const capacity = viewer.pressure.capacity(tick);
    if (capacity === 'lost') return this.#close(viewer);
    if (capacity === 'full') {
      counters.droppedUpdates += 1;
      return viewer.miss(batch);
    }
    out.begin(viewer.format);
    if (capacity === 'open') viewer.update(batch, out);
    else {
      counters.resyncs += 1;
      viewer.miss(batch);
      sendCells(this.#state, { viewer, out, held: { cells: viewer.cells, pinned: new Set() } });
    }
    if (out.empty && tick - viewer.lastSentTick >= CLOCK_EVERY_TICKS) out.message({ kind: 'clock' });
    viewer.transmit(out);
    viewer.updated();
  }

  #close(viewer: Viewer): void {
    this.#state.counters.closedSlow += 1;
    this.#viewers.delete(viewer);
    viewer.port.close(CLOSE_SLOW_VIEWER, `resume ${this.#state.epoch}:${this.#state.sentSeq}`);
  }

  #sendClusters(): void {
    const { world, tick } = this.#state;
    this.#lastClusters = tick;
    const far = [...this.#viewers].filter((viewer) => viewer.zoom === 'far');
    if (far.length === 0) return;
    const counts = new Map<number, number>();
    for (const slot of aliveSlots(world)) {
      const cell = cellOf(world.map, tileAt(world, slot, tick));
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
    }
    const cells = [...counts].map(([cell, count]) => ({ cell, count })).toSorted((a, b) => a.cell - b.cell);
    for (const viewer of far) {
      if (!viewer.pressure.open) continue;
      viewer.say({ kind: 'cluster', cells: cells.filter(({ cell }) => rectHas(viewer.farCells, world.map, cell)) });
    }
  }

  /** Takes another world or epoch, or the state after a gap in the events: every viewer gets hello and keyframes again. */
  replaceWorld(world: WorldState, epoch: number): void {
    this.#state.pending.clear();
    this.#said = [];
    Object.assign(this.#state, start(world, epoch));
    for (const viewer of this.#viewers) viewer.reset();
  }

  stats(): Counters & { readonly viewers: number; readonly queuedBytes: number } {
    const queuedBytes = [...this.#viewers].reduce((sum, viewer) => sum + viewer.port.bufferedAmount, 0);
    return { ...this.#state.counters, viewers: this.#viewers.size, queuedBytes };
  }
}

function start(world: WorldState, epoch: number): Omit<FanoutState, 'pending' | 'counters' | 'frame'> {
  const { map, tick, seq } = world;
  return {
    world,
    epoch,
    tick,
    sentSeq: seq,
    firstSeq: seq,
    changedSeq: new Float64Array(map.cellsWide * map.cellsHigh),
  };
}
