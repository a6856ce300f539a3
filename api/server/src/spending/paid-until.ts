import type { ClaimRow } from '@hamlet/store';

/** The life of an agent that asks, and the tier that its status tells of. */
export interface PaidLife {
  readonly uid: string;
  readonly tier: string | null;
  readonly now: Date;
}

/**
 * The end of what is paid for a life; null where nothing has to be paid. A refused tier that the status still tells of is paid no longer: its pod is
 * to end, and nobody has ended it. Pure.
 */
export function paidUntil(
  claim: Pick<ClaimRow, 'uid' | 'hold' | 'refused'> | null,
  { uid, tier, now }: PaidLife,
): Date | null {
  if (claim === null || claim.uid !== uid) return null;
  if (claim.hold !== null) return claim.hold.until;
  return claim.refused !== null && claim.refused.tier === tier ? now : null;
}
