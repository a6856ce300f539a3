import { ViewerMessage, type FrameMessage, type Zoom } from '@hamlet/contract';
import { slotOf } from '@hamlet/core';
import type { Batch, Change } from './batch.ts';
import { NO_CELLS, cellRect, clippedCells, eachCell, rectHas, sameRect, type CellRect } from './cell-rect.ts';
import type { FanoutState } from './fanout-state.ts';
import type { Chunk, FrameOut } from './frame-out.ts';
import { introduce, sendCells } from './keyframes.ts';
import { MAX_NEAR_CELLS, VIEWS_PER_UPDATE } from './limits.ts';
import { Pressure, type FrameFormat, type ViewerPort } from './pressure.ts';

type ViewRequest = Extract<ViewerMessage, { type: 'view' }>;

let lastSerial = 0;

/**
 * One viewer. Frames rely on this invariant: **outside of `dirty` cells, the viewer knows exactly the pinned agents and
 * the agents whose path at the last update crosses a cell of `cells`, with their newest path and state.**
 */
export class Viewer {
  readonly port: ViewerPort;
  readonly format: FrameFormat;
  readonly serial: number;
  readonly known = new KnownSlots();
  readonly pinned = new Set<number>();
  /** Agents whose change the viewer received before the next update, each with the cells in which the viewer knows the agent. */
  readonly early = new Map<number, readonly number[]>();
  readonly pressure: Pressure;
  zoom: Zoom = 'near';
  /** The cells sent in detail; empty at the far zoom. */
  cells: CellRect = NO_CELLS;
  farCells: CellRect = NO_CELLS;
  pinnedIds: ReadonlySet<string> = new Set();
  lastSentTick = 0;
  readonly #fanout: FanoutState;
  readonly #leave: (viewer: Viewer) => void;
  #resume: Extract<ViewerMessage, { type: 'resume' }> | null = null;
  #greeted = false;
  /** The newest view that waits for the next update, and the number of views shown since the last update. */
  #waiting: ViewRequest | null = null;
  #shownSinceUpdate = 0;

  constructor(fanout: FanoutState, socket: { port: ViewerPort; format: FrameFormat; leave: (viewer: Viewer) => void }) {
    lastSerial += 1;
    this.serial = lastSerial;
    this.#fanout = fanout;
    this.port = socket.port;
    this.format = socket.format;
    this.#leave = socket.leave;
    this.pressure = new Pressure(socket.port);
  }

  detach(): void {
    this.#leave(this);
  }

  receive(text: string): boolean {
    const message = parse(text);
    if (message === null) return false;
    if (message.type === 'resume') this.#resume = message;
    else this.#request(message);
    return true;
  }

  /** Shows a view at once if the socket has room and VIEWS_PER_UPDATE allows; otherwise the newest view waits for the next update. */
  #request(message: ViewRequest): void {
    this.#waiting = message;
    if (this.#shownSinceUpdate < VIEWS_PER_UPDATE) this.#showWaiting();
  }

  updated(): void {
    this.#shownSinceUpdate = 0;
    this.#showWaiting();
  }

  #showWaiting(): void {
    if (this.#waiting === null || !this.pressure.open) return;
    const message = this.#waiting;
    this.#waiting = null;
    this.#shownSinceUpdate += 1;
    this.#look(message);
  }

  reset(): void {
    this.#greeted = false;
    this.#resume = null;
    this.known.clear();
    this.pressure.dirty.clear();
    this.pressure.stalePins.clear();
    this.early.clear();
    const [cells, zoom] = [this.cells, this.zoom];
    this.cells = NO_CELLS;
    this.pinned.clear();
    if (cells !== NO_CELLS || zoom === 'far') this.#show(cells, zoom);
  }

  sees(cells: readonly number[]): boolean {
    const { map } = this.#fanout.world;
    for (const cell of cells) if (rectHas(this.cells, map, cell)) return true;
    return false;
  }

  hasInView(slot: number): boolean {
    const cells = this.#fanout.world.index.cellsOf(slot);
    return cells.length > 0 && (this.pinned.has(slot) || this.sees(cells));
  }

  #look(message: ViewRequest): void {
    const rect = cellRect(this.#fanout.world.map, message);
    const zoom = rect.width * rect.height > MAX_NEAR_CELLS ? 'far' : message.zoom;
    this.pinnedIds = new Set(message.pinned);
    this.farCells = rect;
    this.#show(zoom === 'far' ? NO_CELLS : rect, zoom);
  }

  /** Sends hello if the viewer has not had it, changes the view, and sends the content that the viewer lacks. */
  #show(cells: CellRect, zoom: Zoom): void {
    const { world } = this.#fanout;
    const pinned = [...this.pinnedIds].map((id) => slotOf(world, id)).filter((slot) => slot >= 0);
    const samePins = pinned.length === this.pinned.size && pinned.every((slot) => this.pinned.has(slot));
    if (this.#greeted && sameRect(cells, this.cells) && zoom === this.zoom && samePins) return;
    const out = this.#fanout.frame({ urgent: true });
    out.begin(this.format);
    const held = this.#greeted
      ? { cells: zoom === this.zoom ? this.cells : NO_CELLS, pinned: new Set(this.pinned) }
      : this.#greet(out);
    this.cells = cells;
    this.zoom = zoom;
    this.pinned.clear();
    for (const slot of pinned) this.pinned.add(slot);
    out.message(this.#viewMessage());
    sendCells(this.#fanout, { viewer: this, out, held });
    this.transmit(out);
  }

  #viewMessage(): FrameMessage {
    return { kind: 'view', ...this.cells, zoom: this.zoom, pinned: [...this.pinned] };
  }

  pin(slot: number): void {
    this.pinned.add(slot);
    this.say(this.#viewMessage());
  }

  /** Sends hello. Returns the cells that the viewer still holds from an earlier connection; those that changed since then become dirty. */
  #greet(out: FrameOut): { cells: CellRect; pinned: ReadonlySet<number> } {
    const { world, epoch, firstSeq, changedSeq } = this.#fanout;
    const resume = this.#resume;
    const cells = resume?.cells === undefined ? undefined : clippedCells(world.map, resume.cells);
    const resumed = cells !== undefined && resume?.epoch === epoch && resume.seq >= firstSeq && resume.seq <= world.seq;
    this.#greeted = true;
    this.#resume = null;
    out.message({ kind: 'hello', map_version: world.map.version, tick_ms: 100, resumed });
    if (!resumed) return { cells: NO_CELLS, pinned: new Set() };
    eachCell(cells, world.map, (cell) => {
      if ((changedSeq[cell] ?? 0) > resume.seq) this.pressure.dirty.add(cell);
    });
    return { cells, pinned: new Set() };
  }

  update(batch: Batch, out: FrameOut): void {
    const { map } = this.#fanout.world;
    // Agents in `early` first: the viewer may know them in cells that their change in the batch does not have.
    for (const slot of this.early.keys()) this.#sendSlot(batch, slot, out);
    eachCell(this.cells, map, (cell) => {
      const content = batch.cells.get(cell);
      if (content === undefined) return;
      if (content.shared !== null) out.chunk(content.shared);
      for (const change of content.others) this.#emit(change, out);
      if (this.zoom === 'near') for (const item of content.items) this.#sendOnce(item, out);
    });
    for (const slot of this.pinned) this.#sendSlot(batch, slot, out);
    this.early.clear();
  }

  #sendSlot(batch: Batch, slot: number, out: FrameOut): void {
    const change = batch.bySlot.get(slot);
    if (change !== undefined) this.#emit(change, out);
  }

  #sendOnce(item: { readonly chunk: Chunk; sentTo: number }, out: FrameOut): void {
    if (item.sentTo === this.serial) return;
    item.sentTo = this.serial;
    out.chunk(item.chunk);
  }

  /** Sends one change, unless the viewer has had it or gets it in a shared buffer. */
  #emit(change: Change, out: FrameOut): void {
    if (change.sentTo === this.serial || this.#shares(change)) return;
    change.sentTo = this.serial;
    const pinned = this.pinned.has(change.slot);
    const knew = pinned || this.sees(this.early.get(change.slot) ?? change.before);
    const sees = change.after.length > 0 && (pinned || this.sees(change.after));
    if (sees) this.#inform(change, { out, knew });
    else if (knew) out.message({ kind: 'despawn', agent: change.slot });
  }

  /** True if a shared buffer in view holds the whole change. False for a viewer that knows something newer than the last update. */
  #shares(change: Change): boolean {
    return !this.early.has(change.slot) && rectHas(this.cells, this.#fanout.world.map, change.sharedCell);
  }

  /** Sends the change of an agent in view: the full entry if the agent is new to the viewer, otherwise the difference. */
  #inform(change: Change, to: { readonly out: FrameOut; readonly knew: boolean }): void {
    // A delta continues from the last update; a viewer that knows something newer gets the full entry.
    if (to.knew && !change.fresh && !this.early.has(change.slot)) to.out.chunk(change.delta);
    else {
      introduce(this.#fanout, { viewer: this, out: to.out, slot: change.slot });
      to.out.chunk(change.entry);
    }
  }

  /** Call this instead of `update` for an update that is not sent: records its cells and pins as missed. */
  miss(batch: Batch): void {
    for (const cells of this.early.values()) for (const cell of cells) this.pressure.dirty.add(cell);
    this.early.clear();
    for (const slot of this.pinned) if (batch.bySlot.has(slot)) this.pressure.stalePins.add(slot);
    eachCell(this.cells, this.#fanout.world.map, (cell) => {
      if (batch.cells.has(cell)) this.pressure.dirty.add(cell);
    });
  }

  say(message: FrameMessage): void {
    const out = this.#fanout.frame({ urgent: true });
    out.begin(this.format);
    out.message(message);
    this.transmit(out);
  }

  transmit(out: FrameOut): void {
    if (out.empty) return;
    const bytes = out.finish();
    this.lastSentTick = this.#fanout.tick;
    this.#fanout.counters.frames += 1;
    this.#fanout.counters.bytes += bytes.length;
    this.port.send(bytes);
  }
}

function parse(text: string): ViewerMessage | null {
  try {
    const parsed = ViewerMessage.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** The slots whose occupants a viewer knows by name, one bit each. */
class KnownSlots {
  #bits = new Uint8Array(32);

  has(slot: number): boolean {
    return ((this.#bits[slot >> 3] ?? 0) & (1 << (slot & 7))) !== 0;
  }

  add(slot: number): void {
    const at = slot >> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (slot & 7));
  }

  forget(slot: number): void {
    const at = slot >> 3;
    if (at < this.#bits.length) this.#bits[at] = (this.#bits[at] ?? 0) & ~(1 << (slot & 7));
  }

  clear(): void {
    this.#bits.fill(0);
  }
}
