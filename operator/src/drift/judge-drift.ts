import { differenceKey, type Difference } from './difference.ts';

/** Differences that are remembered; beyond it only those that are known already go on, so that memory is bounded. */
const MAX_KNOWN = 20_000;

/** A difference since it was first seen. */
export interface KnownDifference {
  readonly difference: Difference;
  /** Milliseconds of a clock that never goes back. */
  readonly sinceMs: number;
  /** It was named as drift already. */
  readonly told: boolean;
}

/** What is known between readings, by `differenceKey`. */
export type Known = ReadonlyMap<string, KnownDifference>;

/** What a reading of everything comes to. */
export interface Judgement {
  readonly known: Known;
  /** Drift that was not named before. */
  readonly fresh: readonly KnownDifference[];
  /** All drift that there is now. */
  readonly drift: readonly KnownDifference[];
  /** Some differences are too young to be judged: look again soon. */
  readonly undecided: boolean;
}

/**
 * Decides which differences are drift: those that stood in two readings at least `afterMs` apart. A difference that is gone, or says something
 * else than before, is forgotten: it was a change on its way.
 * @param nowMs milliseconds of the clock of `sinceMs`
 */
export function judgeDrift(
  before: Known,
  found: readonly Difference[],
  { nowMs, afterMs }: { readonly nowMs: number; readonly afterMs: number },
): Judgement {
  const known = new Map<string, KnownDifference>();
  const fresh: KnownDifference[] = [];
  for (const difference of found) {
    const key = differenceKey(difference);
    const earlier = before.get(key);
    if (earlier === undefined && known.size >= MAX_KNOWN) continue;
    const sinceMs = earlier?.sinceMs ?? nowMs;
    const told = earlier !== undefined && nowMs - sinceMs >= afterMs;
    const now = { difference, sinceMs, told };
    known.set(key, now);
    if (told && !earlier.told) fresh.push(now);
  }
  const all = [...known.values()];
  return { known, fresh, drift: all.filter(({ told }) => told), undecided: all.some(({ told }) => !told) };
}
