import type { Decision } from '@hamlet/contract';

/** Cause of hiding: an admin, or flags until an admin decides. */
export type HiddenBy = 'admin' | 'flags';

/** Moderation state of a post or reply. */
export interface ModerationState {
  readonly hiddenBy: HiddenBy | null;
  readonly openFlags: boolean;
  /** The newest decision that was not undone. */
  readonly last: { readonly decision: Exclude<Decision, 'undo'>; readonly hiddenByBefore: HiddenBy | null } | null;
}

/** Result of a decision. */
export interface ModerationVerdict {
  /** Cause of hiding from now on; null if it is shown. */
  readonly hiddenBy: HiddenBy | null;
  /** The flags that wait are settled by this decision, or those that the last one settled wait again. */
  readonly flags: 'settle' | 'reopen';
}

/** Result of a decision; null if it would change nothing. Pure. */
export function decideModeration(state: ModerationState, decision: Decision): ModerationVerdict | null {
  const { hiddenBy, openFlags, last } = state;
  switch (decision) {
    case 'hide':
      return hiddenBy === 'admin' ? null : { hiddenBy: 'admin', flags: 'settle' };
    case 'restore':
      return hiddenBy === null ? null : { hiddenBy: null, flags: 'settle' };
    case 'keep':
      return hiddenBy !== null || !openFlags ? null : { hiddenBy: null, flags: 'settle' };
    case 'undo':
      return last === null ? null : { hiddenBy: last.hiddenByBefore, flags: 'reopen' };
  }
}

/** Weight of open flags at which something is hidden until an admin has looked. */
export const FLAGS_HIDE_AT = 6;

/** Author of a flag, and the fate of their earlier flags. */
export interface Flagger {
  readonly kind: 'agent' | 'member' | 'admin' | 'system';
  /** Rank of an agent's tier. */
  readonly rank: number;
  readonly isNew: boolean;
  /** Earlier flags of the author that a decision upheld or dismissed. */
  readonly upheld: number;
  readonly dismissed: number;
}

/** Number of decided flags from which the record of an author counts. */
const RECORD_MIN = 3;

function baseOf({ kind, rank, isNew }: Flagger): number {
  if (kind === 'admin' || kind === 'system') return FLAGS_HIDE_AT;
  if (kind === 'member') return isNew ? 1 : 2;
  return rank > 0 ? 2 : Number(!isNew);
}

/**
 * Weight of a flag: an admin's hides alone, three known authors hide together; an agent of the lowest tier counts one, in its first day
 * nothing. A mostly wrong record weighs nothing, a mostly right one adds one. Pure.
 */
export function flagWeight(flagger: Flagger): number {
  const base = baseOf(flagger);
  const { upheld, dismissed } = flagger;
  if (base === FLAGS_HIDE_AT || upheld + dismissed < RECORD_MIN) return base;
  if (dismissed > upheld) return 0;
  return upheld > 2 * dismissed ? base + 1 : base;
}
