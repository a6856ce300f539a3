import type { Clock } from '../time/clock.ts';

/** A clock that moves only when a test calls `pass`. */
export class FakeClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly action: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves the clock forward; timers fire in the order of their times. */
  pass(milliseconds: number): void {
    const endMs = this.#nowMs + milliseconds;
    for (let due = this.#next(endMs); due !== undefined; due = this.#next(endMs)) {
      this.#timers.delete(due);
      this.#nowMs = due.atMs;
      due.action();
    }
    this.#nowMs = endMs;
  }

  #next(untilMs: number): { readonly atMs: number; readonly action: () => void } | undefined {
    return [...this.#timers].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}
