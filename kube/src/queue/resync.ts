import { systemClock, type Clock } from '../time/clock.ts';
import type { WorkQueue } from './work-queue.ts';

/** Workers reconcile each key again about every 20 minutes, even if nothing changed. */
const RESYNC_MS = 20 * 60_000;
const SPREAD = 0.25;

interface ResyncOptions {
  readonly queue: WorkQueue;
  readonly keys: () => Iterable<string>;
  readonly everyMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Adds each key to the queue again at a random time in each interval. Keys that changed come first. */
export class Resync {
  readonly #options: ResyncOptions;
  readonly #clock: Clock;
  readonly #everyMs: number;
  #cancel: (() => void) | undefined;

  constructor(options: ResyncOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#everyMs = options.everyMs ?? RESYNC_MS;
  }

  start(): void {
    this.#cancel ??= this.#clock.after(this.#everyMs * (1 - SPREAD), () => this.#round());
  }

  stop(): void {
    this.#cancel?.();
  }

  #round(): void {
    const { queue, keys, random = Math.random } = this.#options;
    const windowMs = this.#everyMs * 2 * SPREAD;
    for (const key of keys()) queue.addAfter(key, random() * windowMs, 'bulk');
    this.#cancel = this.#clock.after(this.#everyMs, () => this.#round());
  }
}
