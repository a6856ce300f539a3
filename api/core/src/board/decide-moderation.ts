import type { Decision } from '@hamlet/contract';

/** The cause of hiding: an admin, or flags, which hide only until an admin decides. */
type HiddenBy = 'admin' | 'flags';

export interface ModerationState {
  readonly hiddenBy: HiddenBy | null;
  readonly openFlags: boolean;
  /** The newest decision that no admin has undone. */
  readonly last: { readonly decision: Exclude<Decision, 'undo'>; readonly hiddenByBefore: HiddenBy | null } | null;
}

export interface ModerationVerdict {
  /** Null if the post or reply is shown. */
  readonly hiddenBy: HiddenBy | null;
  /** `settle` closes the open flags; `reopen` opens the flags that the undone decision closed. */
  readonly flags: 'settle' | 'reopen';
}

/** Null if the decision would change nothing. Pure. */
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

/** Total weight of flags that hides a post or reply until an admin decides. */
export const FLAGS_HIDE_AT = 6;

export interface Flagger {
  readonly kind: 'agent' | 'member' | 'admin' | 'system';
  readonly rank: number;
  readonly isNew: boolean;
  /** Earlier flags that a decision upheld or dismissed. */
  readonly upheld: number;
  readonly dismissed: number;
}

/** Minimum number of decided flags at which an author's record counts. */
const RECORD_MIN = 3;

function baseOf({ kind, rank, isNew }: Flagger): number {
  if (kind === 'admin' || kind === 'system') return FLAGS_HIDE_AT;
  if (kind === 'member') return isNew ? 1 : 2;
  return rank > 0 ? 2 : Number(!isNew);
}

/**
 * One flag of an admin or of the system hides a post or reply, and so do three flags of known authors (2 each). A new
 * member's flag weighs 1; that of a lowest-tier agent 1, or 0 on its first day. From RECORD_MIN decided flags on, more
 * dismissed than upheld gives 0, and more than twice as many upheld as dismissed adds 1. Pure.
 */
export function flagWeight(flagger: Flagger): number {
  const base = baseOf(flagger);
  const { upheld, dismissed } = flagger;
  if (base === FLAGS_HIDE_AT || upheld + dismissed < RECORD_MIN) return base;
  if (dismissed > upheld) return 0;
  return upheld > 2 * dismissed ? base + 1 : base;
}
