export const DRIFT_KINDS = ['life', 'standing', 'tier', 'hold', 'presence', 'boost', 'schedule'] as const;
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** A fact on which the database differs from Kubernetes or the operator's memory. Equal fields mean the same difference. */
export interface Difference {
  readonly kind: DriftKind;
  readonly of: 'Agent' | 'Schedule';
  readonly name: string;
  readonly fact: string;
  readonly database: string;
  readonly other: string;
  /** The other side: the operator's memory, which the api can resend, or the objects in Kubernetes. */
  readonly against: 'operator' | 'kubernetes';
}

const SIDES: Readonly<Record<Difference['against'], string>> = {
  operator: 'the operator has',
  kubernetes: 'Kubernetes has',
};

export function differenceText({ fact, database, other, against }: Difference): string {
  return `${fact}: the database has ${database}, ${SIDES[against]} ${other}`;
}

const keyOf = ({ kind, of, name, fact, database, other, against }: Difference): string =>
  JSON.stringify([kind, of, name, fact, database, other, against]);

/** Maximum number of differences that the operator remembers; it ignores new ones beyond it. */
const MAX_KNOWN = 20_000;

export interface KnownDifference {
  readonly difference: Difference;
  readonly sinceMs: number;
  readonly reported: boolean;
}

export type Known = ReadonlyMap<string, KnownDifference>;

export interface Judgement {
  readonly known: Known;
  readonly fresh: readonly KnownDifference[];
  readonly drift: readonly KnownDifference[];
  /** True if some differences are too young to judge, so that the next comparison should come soon. */
  readonly undecided: boolean;
}

/**
 * Drift is a difference that two comparisons find, at least `afterMs` apart. A difference that has disappeared or changed by the
 * next comparison was a change in progress. Pure; `nowMs` and `sinceMs` are of the same monotonic clock.
 */
export function judgeDrift(
  before: Known,
  found: readonly Difference[],
  { nowMs, afterMs }: { readonly nowMs: number; readonly afterMs: number },
): Judgement {
  const known = new Map<string, KnownDifference>();
  const fresh: KnownDifference[] = [];
  for (const difference of found) {
    const key = keyOf(difference);
    const earlier = before.get(key);
    if (earlier === undefined && known.size >= MAX_KNOWN) continue;
    const sinceMs = earlier?.sinceMs ?? nowMs;
    const reported = earlier !== undefined && nowMs - sinceMs >= afterMs;
    const now = { difference, sinceMs, reported };
    known.set(key, now);
    if (reported && !earlier.reported) fresh.push(now);
  }
  const all = [...known.values()];
  return {
    known,
    fresh,
    drift: all.filter(({ reported }) => reported),
    undecided: all.some(({ reported }) => !reported),
  };
}
