import type { Clock } from '@hamlet/kube';

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly action: () => void;
}

/** Simulated time. It moves from one timer to the next; between two timers all pending promises settle. */
export class SimClock implements Clock {
  #nowMs = 0;
  #orders = 0;
  /** Latest first. */
  readonly #timers: Timer[] = [];

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), order: (this.#orders += 1), action };
    this.#timers.splice(this.#place(timer), 0, timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Runs until `untilMs`; `check` is called after each timer and may throw. */
  async run(untilMs: number, check: () => void): Promise<void> {
    for (;;) {
      // One turn of the real event loop, in which all pending promises settle.
      await new Promise((resolve) => setImmediate(resolve));
      check();
      const next = this.#timers.at(-1);
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers.pop();
      this.#nowMs = next.atMs;
      next.action();
    }
    this.#nowMs = untilMs;
  }

  #place(timer: Timer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle];
      if (other !== undefined && (other.atMs > timer.atMs || (other.atMs === timer.atMs && other.order > timer.order)))
        low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The clock of one process: a little fast or slow. Sometimes the process stalls. */
export class ProcessClock implements Clock {
  readonly #sim: SimClock;
  readonly #rate: number;
  #stalledUntilMs = 0;
  #dead = false;

  /** @param rate its seconds in a second of simulated time */
  constructor(sim: SimClock, rate: number) {
    this.#sim = sim;
    this.#rate = rate;
  }

  /** True while the process is stalled. */
  get isStalled(): boolean {
    return this.#dead || this.#sim.now() < this.#stalledUntilMs;
  }

  now(): number {
    return this.#sim.now() * this.#rate;
  }

  after(delayMs: number, action: () => void): () => void {
    let cancelled = false;
    const fire = (): void => {
      if (cancelled || this.#dead) return;
      if (this.isStalled) this.#sim.after(this.#stalledUntilMs - this.#sim.now(), fire);
      else action();
    };
    const cancel = this.#sim.after(delayMs / this.#rate, fire);
    return () => {
      cancelled = true;
      cancel();
    };
  }

  /** Stalls the process for this time; its clock continues. */
  stall(milliseconds: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#sim.now() + milliseconds);
  }

  /** kill -9 */
  kill(): void {
    this.#dead = true;
  }

  /** Resolves when the process runs. A dead process receives nothing. */
  awake(): Promise<void> {
    return this.isStalled ? new Promise((resolve) => this.after(0, resolve)) : Promise.resolve();
  }
}
