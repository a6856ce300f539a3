/** Minimum age of an approver's account at the proposal: admins have time to notice a new or stolen account. */
export const SECOND_ADMIN_AGE_MS = 24 * 3_600_000;

const ACCOUNT = 'account ';

export interface Eyes {
  /** The actor as in the audit: `account UUID` or `key NAME`. */
  readonly id: string;
  /** Null for a key. */
  readonly ownSince: Date | null;
  /** The actors that created or reset the account, those that did so with the accounts of these actors, and so on. */
  readonly hands: readonly string[];
}

/** Null if `approver` may approve the proposal that `asker` made at `askedAt`. Pure. */
export function whyNotSecond(asker: Eyes, approver: Eyes, askedAt: Date): string | null {
  if (asker.id === approver.id) return 'An admin cannot approve their own proposal: another admin must approve it';
  if (asker.ownSince === null)
    return 'A key proposed this credit, and a key has no known owner: reject it, then an admin must propose it again from an account';
  if (approver.ownSince === null) return 'A key cannot approve because it has no known owner: approve from an account';
  if (approver.hands.includes(asker.id) || asker.hands.includes(approver.id))
    return 'One of the two admins made or reset the account of the other: an admin whose account neither of them made or reset must approve';
  if ([...approver.hands, ...asker.hands].some((hand) => !hand.startsWith(ACCOUNT)))
    return 'A key created or reset the account of one of the two admins, and a key has no known owner: other admins must propose and approve';
  if (askedAt.getTime() - approver.ownSince.getTime() < SECOND_ADMIN_AGE_MS)
    return 'An account may approve a proposal only if it was made or reset at least 24 hours before the proposal: another admin must approve';
  return null;
}
