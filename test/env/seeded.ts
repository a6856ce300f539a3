/** True in a full run (`make test-full`). */
export const FULL_RUN = process.env['HAMLET_TEST_FULL'] === '1';

/** Number of cases: a share in `make test`, all of them in a full run. */
export const cases = (gate: number, full: number): number => (FULL_RUN ? full : gate);

/** The seeds 1 to `count`, or the one of HAMLET_TEST_SEED, which replays a failure. */
export function seeds(count: number): readonly number[] {
  const only = process.env['HAMLET_TEST_SEED'];
  return only === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(only)];
}

/** Plays the seeds 1 to `count`; the error of a failed seed names it. */
export async function playSeeds(count: number, play: (seed: number) => Promise<void>): Promise<void> {
  for (const seed of seeds(count))
    await play(seed).catch((cause: unknown) => {
      throw new Error(`seed ${seed} (HAMLET_TEST_SEED=${seed} replays it): ${String(cause)}`, { cause });
    });
}

/** Random numbers from a seed (mulberry32). */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ number < 1 */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  one<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.next() * of.length)];
  }
}
