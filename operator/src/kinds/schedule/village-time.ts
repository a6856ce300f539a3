/** A difference to the village's clock below this is the way of a message. */
const NOTICEABLE_MS = 100;

/** What time it is by the clock that decides about firings: the database's. Begins as this machine's. */
export class VillageTime {
  readonly #now: () => number;
  #aheadMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#now() + this.#aheadMs;
  }

  /** This machine's clock, to be given back to `learn`. */
  local(): number {
    return this.#now();
  }

  /** How far the village's clock is ahead of this machine's. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /**
   * The village said that it was `villageMs` between two moments of this machine's clock.
   * @param exactToMs how far what was said may be off
   */
  learn(villageMs: number, between: readonly [sentMs: number, receivedMs: number], exactToMs = 0): void {
    const ahead = villageMs - (between[0] + between[1]) / 2;
    const unsure = (between[1] - between[0]) / 2 + exactToMs + NOTICEABLE_MS;
    if (Math.abs(ahead - this.#aheadMs) > unsure) this.#aheadMs = ahead;
  }
}
