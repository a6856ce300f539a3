import assert from 'node:assert/strict';

/** mulberry32: a small seeded generator. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Dice = Readonly<{
  of: <T>(list: readonly T[]) => T;
  chance: (share: number) => boolean;
  below: (count: number) => number;
}>;

export function diceOf(seed: number): Dice {
  const rng = random(seed);
  const below = (count: number): number => Math.floor(rng() * count);
  return {
    of: (list) => list[below(list.length)] ?? assert.fail('empty list'),
    chance: (share) => rng() < share,
    below,
  };
}

/** The seed of this run of a test, which its report names: `SEED` replays it. */
export const seedOf = (): number => Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
