import { systemClock, type Clock } from '../time/clock.ts';

const TICK_MS = 1_000;
const SAMPLES = 30;
const MIN_SAMPLES = 10;

export class LoopWatch {
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #lateness: number[] = [];
  #cancel: (() => void) | undefined;

  /** @param limitMs maximum median lateness */
  constructor(limitMs: number, clock: Clock = systemClock) {
    this.#limitMs = limitMs;
    this.#clock = clock;
  }

  start(): void {
    if (this.#cancel === undefined) this.#tick(this.#clock.now());
  }

  stop(): void {
    this.#cancel?.();
  }

  get latenessMs(): number {
    return this.#lateness.toSorted((a, b) => a - b)[Math.floor(this.#lateness.length / 2)] ?? 0;
  }

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
