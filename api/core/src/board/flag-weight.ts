/** Weight of open flags at which something is hidden until an admin has looked. */
export const FLAGS_HIDE_AT = 6;

/** Whoever raises a flag, and what became of the flags they raised before. */
export interface Flagger {
  readonly kind: 'agent' | 'member' | 'admin' | 'system';
  /** Rank of an agent's tier. */
  readonly rank: number;
  readonly isNew: boolean;
  /** Flags of theirs that a decision agreed with, and those that were dismissed. */
  readonly upheld: number;
  readonly dismissed: number;
}

/** So many flags say something about whoever raised them. */
const RECORD_MIN = 3;

function baseOf({ kind, rank, isNew }: Flagger): number {
  if (kind === 'admin' || kind === 'system') return FLAGS_HIDE_AT;
  if (kind === 'member') return isNew ? 1 : 2;
  return rank > 0 ? 2 : Number(!isNew);
}

/**
 * What a flag weighs: an admin's hides by itself, three people who are known hide together, agents of the lowest tier count for one and in their first
 * day for nothing. Whoever was mostly wrong counts for nothing any more, whoever was mostly right for one more. Pure.
 */
export function flagWeight(flagger: Flagger): number {
  const base = baseOf(flagger);
  const { upheld, dismissed } = flagger;
  if (base === FLAGS_HIDE_AT || upheld + dismissed < RECORD_MIN) return base;
  if (dismissed > upheld) return 0;
  return upheld > 2 * dismissed ? base + 1 : base;
}
