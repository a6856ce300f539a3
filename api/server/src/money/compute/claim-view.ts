import { parseAiDollars } from '@hamlet/contract';
import type { HeldClaim, PricedTier } from '@hamlet/core';
import type { ClaimHold, ClaimRow } from '@hamlet/store';
import type { AgentSource } from '../../agents/agent-source.ts';

export function heldOf(
  { uid, cycle }: Pick<ClaimRow, 'uid' | 'cycle'>,
  { tier, perHour, amount, until, usedMs, pod }: ClaimHold,
): HeldClaim {
  return {
    uid,
    cycle,
    tier,
    perHour,
    amount,
    untilMs: until.getTime(),
    runningSinceMs: pod?.since.getTime() ?? null,
    usedMs,
  };
}

/** The end of the paid time; null if the life runs for free. If the tier in the status was refused, the paid time ends now. Pure. */
export function paidUntil(
  claim: Pick<ClaimRow, 'uid' | 'hold' | 'refused'> | null,
  { uid, tier, now }: { readonly uid: string; readonly tier: string | null; readonly now: Date },
): Date | null {
  if (claim === null || claim.uid !== uid) return null;
  if (claim.hold !== null) return claim.hold.until;
  return claim.refused !== null && claim.refused.tier === tier ? now : null;
}

export function pricedTiers(source: Pick<AgentSource, 'entitlements'>): readonly PricedTier[] {
  return source
    .entitlements()
    .map(({ name, spec }) => ({ name, rank: spec.rank, perHour: parseAiDollars(spec.price.perHour) }));
}
