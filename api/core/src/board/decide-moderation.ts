import type { Decision } from '@hamlet/contract';

/** Cause of hiding: an admin's decision, or flags, which hide only until an admin decides. */
export type HiddenBy = 'admin' | 'flags';

/** Moderation state of a post or reply. */
export interface ModerationState {
  readonly hiddenBy: HiddenBy | null;
  readonly openFlags: boolean;
  /** The newest decision that no admin has undone. */
  readonly last: { readonly decision: Exclude<Decision, 'undo'>; readonly hiddenByBefore: HiddenBy | null } | null;
}

/** Result of a decision. */
export interface ModerationVerdict {
  /** Cause of hiding after the decision; null if the post or reply is shown. */
  readonly hiddenBy: HiddenBy | null;
  /** `settle`: the decision closes the open flags. `reopen`: the flags that the undone decision closed are open again. */
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

/** Weight of open flags at which a post or reply is hidden until an admin decides. */
export const FLAGS_HIDE_AT = 6;

/** Author of a flag, and the outcome of their earlier flags. */
export interface Flagger {
  readonly kind: 'agent' | 'member' | 'admin' | 'system';
  /** Rank of an agent's tier. */
  readonly rank: number;
  readonly isNew: boolean;
  /** Earlier flags of the author that a decision upheld or dismissed. */
  readonly upheld: number;
  readonly dismissed: number;
}

/** Least number of decided flags at which an author's record counts. */
const RECORD_MIN = 3;

function baseOf({ kind, rank, isNew }: Flagger): number {
  if (kind === 'admin' || kind === 'system') return FLAGS_HIDE_AT;
  if (kind === 'member') return isNew ? 1 : 2;
  return rank > 0 ? 2 : Number(!isNew);
}

/**
 * Weight of a flag. One flag of an admin or of the system hides a post or reply. A known author's flag weighs 2, so
 * three such flags hide it; a new member's flag weighs 1. A flag of a lowest-tier agent weighs 1, or 0 on the agent's
 * first day. From RECORD_MIN decided flags on, the record of a member or agent counts: more dismissed than upheld gives
 * 0; more than twice as many upheld as dismissed adds 1. Pure.
 */
export function flagWeight(flagger: Flagger): number {
  const base = baseOf(flagger);
  const { upheld, dismissed } = flagger;
  if (base === FLAGS_HIDE_AT || upheld + dismissed < RECORD_MIN) return base;
  if (dismissed > upheld) return 0;
  return upheld > 2 * dismissed ? base + 1 : base;
}
