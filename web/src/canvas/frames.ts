/** The time between two repaints of an ordinary screen. */
const REPAINT_MS = 16;

/**
 * Calls `draw` before a repaint, and again after the milliseconds that it returns; after Infinity only when woken. A page
 * that asks for every repaint keeps the processor awake. Mutable because it owns the next call.
 */
export class Frames {
  readonly #draw: (nowMs: number) => number;
  #frame: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(draw: (nowMs: number) => number) {
    this.#draw = draw;
  }

  wake(): void {
    clearTimeout(this.#timer);
    this.#frame ??= requestAnimationFrame((nowMs) => {
      this.#frame = null;
      const waitMs = this.#draw(nowMs);
      if (waitMs <= REPAINT_MS) this.wake();
      else if (waitMs < Infinity) this.#timer = setTimeout(() => this.wake(), waitMs - REPAINT_MS);
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
  }
}
