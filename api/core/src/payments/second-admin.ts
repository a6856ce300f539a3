/** How much older than what it approves an account must be, so that one that was made or taken for the purpose is seen first. */
export const SECOND_ADMIN_AGE_MS = 24 * 3_600_000;

const ACCOUNT = 'account ';

/** Somebody who asks or approves. */
export interface Eyes {
  /** As the audit has it: `account UUID`, or `key NAME`. */
  readonly id: string;
  /** Since when the account is in its present hands; null of a key. */
  readonly ownSince: Date | null;
  /** Everybody who made or reset the account, and those who made or reset them. */
  readonly hands: readonly string[];
}

/** Why an admin is not a second pair of eyes for what another one asked; null where they are. Pure. */
export function whyNotSecond(asker: Eyes, approver: Eyes, askedAt: Date): string | null {
  if (asker.id === approver.id) return 'Whoever proposed a credit cannot approve it';
  if (asker.ownSince === null)
    return 'A key proposed this credit, and nobody knows who holds it: reject it, and let an admin propose it from an account';
  if (approver.ownSince === null)
    return 'A key cannot approve, since nobody knows who holds it: approve from an account';
  if (approver.hands.includes(asker.id) || asker.hands.includes(approver.id))
    return 'One of the two admins made or reset the account of the other: an admin whom neither of them made or reset must approve';
  if ([...approver.hands, ...asker.hands].some((hand) => !hand.startsWith(ACCOUNT)))
    return 'A key made or reset the account of one of the two admins, and nobody knows who holds it: other admins must propose and approve';
  if (askedAt.getTime() - approver.ownSince.getTime() < SECOND_ADMIN_AGE_MS)
    return 'An account approves only what was proposed at least 24 hours after it was made or reset';
  return null;
}
