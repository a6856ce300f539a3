import type { ComputeClaim } from '@hamlet/contract';
import type { HeldClaim } from '@hamlet/core';
import type { ClaimHold, ClaimRow } from '@hamlet/store';

/** A claim in the words of the wire. Pure. */
export function claimView({ agentId, uid, version, cycle, hold, refused }: ClaimRow): ComputeClaim {
  return {
    agent_id: agentId,
    uid,
    version,
    cycle,
    held: hold !== null && !hold.told,
    tier: hold?.tier ?? null,
    until: hold?.until.toISOString() ?? null,
    pod_uid: hold?.pod?.uid ?? null,
    refused: refused === null ? null : { ...refused },
  };
}

/** What is held, in the words of the rules. Pure. */
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
