/** The seeds that a simulation plays: the seed of `SEED=…`, or as many as the kind of run requires. */

/** @param full number of seeds in a full run; a plain run plays `plain` of them */
export function seeds(full: number, plain: number): readonly number[] {
  const { SEED: seed, HAMLET_TEST_FULL: isFull } = process.env;
  if (seed !== undefined) return [Number(seed)];
  return Array.from({ length: isFull === '1' ? full : plain }, (_, index) => index + 1);
}

/** Plays every seed; the error of a failed seed names it. */
export async function play(all: readonly number[], one: (seed: number) => Promise<void>): Promise<void> {
  for (const seed of all)
    await one(seed).catch((error: unknown) => {
      throw new Error(
        `seed ${seed} (replay it with SEED=${seed}): ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    });
}
