import { systemClock, type Clock } from '../clock.ts';

const TICK_MS = 1_000;
/** The last half minute decides: one long pause is over, thirty are a condition. */
const SAMPLES = 30;
const MIN_SAMPLES = 10;

/** How late the event loop is, for liveness: a process that is always late does nothing in time. */
export class LoopWatch {
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #lateness: number[] = [];
  #cancel: (() => void) | undefined;

  /** @param limitMs a median lateness above this is a problem */
  constructor(limitMs: number, clock: Clock = systemClock) {
    this.#limitMs = limitMs;
    this.#clock = clock;
  }

  /** Begins, once however often it is called. */
  start(): void {
    if (this.#cancel === undefined) this.#tick(this.#clock.now());
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Median of the last half minute, in milliseconds. */
  get latenessMs(): number {
    return this.#lateness.toSorted((a, b) => a - b)[Math.floor(this.#lateness.length / 2)] ?? 0;
  }

  /** What is wrong, if anything. */
  get problem(): string | undefined {
    const lateMs = this.latenessMs;
    return this.#lateness.length >= MIN_SAMPLES && lateMs > this.#limitMs
      ? `the event loop is ${Math.round(lateMs)} ms late`
      : undefined;
  }

  #tick(nowMs: number): void {
    this.#cancel = this.#clock.after(TICK_MS, () => {
      const thenMs = this.#clock.now();
      this.#lateness.push(Math.max(0, thenMs - nowMs - TICK_MS));
      if (this.#lateness.length > SAMPLES) this.#lateness.shift();
      this.#tick(thenMs);
    });
  }
}
