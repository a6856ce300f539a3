/** Least age of an account before a proposal that it approves, so that an account created or taken over for the purpose is noticed first. */
export const SECOND_ADMIN_AGE_MS = 24 * 3_600_000;

const ACCOUNT = 'account ';

/** An actor who proposes or approves. */
export interface Eyes {
  /** As the audit has it: `account UUID`, or `key NAME`. */
  readonly id: string;
  /** Time since its present owner has the account; null of a key. */
  readonly ownSince: Date | null;
  /** Actors who created or reset the account, and those who created or reset them. */
  readonly hands: readonly string[];
}

/** Reason why an admin cannot approve a proposal of another; null if the admin can. Pure. */
export function whyNotSecond(asker: Eyes, approver: Eyes, askedAt: Date): string | null {
  if (asker.id === approver.id) return 'An admin cannot approve their own proposal: another admin must approve it';
  if (asker.ownSince === null)
    return 'A key proposed this credit, and a key has no known owner: reject it, and let an admin propose it from an account';
  if (approver.ownSince === null) return 'A key cannot approve because it has no known owner: approve from an account';
  if (approver.hands.includes(asker.id) || asker.hands.includes(approver.id))
    return 'One of the two admins made or reset the account of the other: an admin whom neither of them made or reset must approve';
  if ([...approver.hands, ...asker.hands].some((hand) => !hand.startsWith(ACCOUNT)))
    return 'A key created or reset the account of one of the two admins, and a key has no known owner: other admins must propose and approve';
  if (askedAt.getTime() - approver.ownSince.getTime() < SECOND_ADMIN_AGE_MS)
    return 'An account approves only what was proposed at least 24 hours after it was made or reset';
  return null;
}
