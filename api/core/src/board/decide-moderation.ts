import type { Decision } from '@hamlet/contract';

/** Who hid something: an admin, or its flags until an admin has looked. */
export type HiddenBy = 'admin' | 'flags';

/** How a post or reply stands, as far as decisions look at it. */
export interface ModerationState {
  readonly hiddenBy: HiddenBy | null;
  readonly openFlags: boolean;
  /** The newest decision that was not undone. */
  readonly last: { readonly decision: Exclude<Decision, 'undo'>; readonly hiddenByBefore: HiddenBy | null } | null;
}

/** What comes of a decision. */
export interface ModerationVerdict {
  /** Who hides it from now on; null where it is shown. */
  readonly hiddenBy: HiddenBy | null;
  /** The flags that wait are settled by this decision, or those that the last one settled wait again. */
  readonly flags: 'settle' | 'reopen';
}

/** What a decision comes to; null where there is nothing to decide in that way. Pure. */
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
