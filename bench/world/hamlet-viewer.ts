import { DRAW_BEHIND_TICKS, applyToView, createView, decodeFrame, viewAgents } from '@hamlet/core';
import type { View, WorldMap } from '@hamlet/core';

/**
 * A viewer's drawing after the update of one tick: its cells, and its agents by slot with their positions now and at
 * the tick on screen.
 */
export interface Drawn {
  readonly cells: View['cells'];
  readonly now: ReadonlyMap<number, { readonly x: number; readonly y: number }>;
  readonly before: ReadonlyMap<number, { readonly x: number; readonly y: number }>;
}

/** Number of updates that are kept, so that a truth that arrives later finds its update. */
const REMEMBERED = 8;

/** A viewer of our server with the browser's copy of the world. Mutable because it follows its socket. */
export class HamletViewer {
  readonly #view: View;
  readonly drawn = new Map<number, Drawn>();
  /** Drawings are kept only while fidelity is checked. */
  static remembers = false;

  constructor(map: WorldMap) {
    this.#view = createView(map);
  }

  /** Applies a message; returns the tick of its update, or -1 for a message out of order. */
  take(bytes: Uint8Array): number {
    const frame = decodeFrame(bytes);
    applyToView(this.#view, frame);
    if (frame.urgent) return -1;
    if (HamletViewer.remembers) this.#remember(frame.tick);
    return frame.tick;
  }

  #remember(tick: number): void {
    const at = (drawnTick: number): Map<number, { x: number; y: number }> =>
      new Map(viewAgents(this.#view, drawnTick).map(({ agent, x, y }) => [agent, { x, y }]));
    this.drawn.set(tick, { cells: { ...this.#view.cells }, now: at(tick), before: at(tick - DRAW_BEHIND_TICKS) });
    for (const old of this.drawn.keys()) if (this.drawn.size > REMEMBERED) this.drawn.delete(old);
  }
}
