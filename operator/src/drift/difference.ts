/** Facts that the database and Kubernetes both tell of, each in its own way. */
export const DRIFT_KINDS = ['life', 'standing', 'tier', 'hold', 'presence', 'boost', 'schedule'] as const;
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** One fact of which the database says something else than Kubernetes, or than the operator heard. Equal texts are the same difference. */
export interface Difference {
  readonly kind: DriftKind;
  readonly of: 'Agent' | 'Schedule';
  /** Name of the Agent; of a Schedule the name too. */
  readonly name: string;
  /** Which of the facts of that kind. */
  readonly fact: string;
  /** In the words of the database. */
  readonly database: string;
  /** In the words of the other side. */
  readonly other: string;
  /** Where the other side is: what the operator heard, and the api can say again, or the objects of Kubernetes. */
  readonly against: 'operator' | 'kubernetes';
}

const SIDES: Readonly<Record<Difference['against'], string>> = {
  operator: 'the operator heard',
  kubernetes: 'Kubernetes has',
};

/** A difference as a sentence. Pure. */
export function differenceText({ fact, database, other, against }: Difference): string {
  return `${fact}: the database has ${database}, ${SIDES[against]} ${other}`;
}

/** The same for the same difference, and another once either side says something else. Pure. */
export function differenceKey({ kind, of, name, fact, database, other, against }: Difference): string {
  return JSON.stringify([kind, of, name, fact, database, other, against]);
}
