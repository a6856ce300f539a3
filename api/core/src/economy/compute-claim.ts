import { HOUR_MS, timeCost } from './usage-cost.ts';
import { compareText } from '../values/compare-text.ts';

export interface ClaimTerms {
  readonly periodMs: number;
  /** Remaining milliseconds at which the API takes the next hold, so that its short outage has no effect. */
  readonly renewMs: number;
  /** Remaining paid milliseconds at which the API notifies the operator to end the pod, if there is no next hold. */
  readonly endMs: number;
  /** Milliseconds after a request in which the agent may differ from the claim: its pod may be about to start, or the watch may lag. */
  readonly settleInMs: number;
}

export const CLAIM_TERMS: ClaimTerms = { periodMs: HOUR_MS, renewMs: HOUR_MS / 2, endMs: 60_000, settleInMs: 60_000 };

/** The hold for the pod of one life of an agent. Times in milliseconds since 1970, money in micro-aiDollars. */
export interface HeldClaim {
  readonly uid: string;
  readonly cycle: number;
  readonly tier: string;
  readonly perHour: bigint;
  readonly amount: bigint;
  readonly untilMs: number;
  /** Start of the time that `usedMs` does not include yet; null while no pod runs. */
  readonly runningSinceMs: number | null;
  readonly usedMs: number;
}

/** The fields of an agent's resource that matter for money. */
export interface ClaimedAgent {
  readonly uid: string;
  readonly deleting: boolean;
  readonly awake: boolean;
  readonly tier: string | null;
}

export interface PricedTier {
  readonly name: string;
  readonly rank: number;
  readonly perHour: bigint;
}

/** Used time of a hold that is not posted yet, at most the paid time. Pure. */
export function usedMs(
  { runningSinceMs, usedMs: before, untilMs }: Pick<HeldClaim, 'runningSinceMs' | 'usedMs' | 'untilMs'>,
  nowMs: number,
): number {
  return runningSinceMs === null ? before : before + Math.max(0, Math.min(nowMs, untilMs) - runningSinceMs);
}

/** Amount to post for a hold that ends now, at most the held amount. 0 voids the hold. Pure. */
export function dueOf(claim: HeldClaim, nowMs: number): bigint {
  const cost = timeCost(usedMs(claim, nowMs), claim.perHour);
  return cost < claim.amount ? cost : claim.amount;
}

export const holdAmount = (perHour: bigint, { periodMs }: ClaimTerms): bigint => timeCost(periodMs, perHour);

export interface Ask {
  readonly uid: string;
  readonly cycle: number;
  readonly tier: string;
  /** True if the container of that cycle runs. */
  readonly runs: boolean;
}

/** `free` ends the present hold, `keep` moves its `meter`, `take` replaces it unless the new hold is refused. */
export type AskDecision =
  | { readonly kind: 'free' }
  | { readonly kind: 'keep'; readonly meter: Pick<HeldClaim, 'cycle' | 'runningSinceMs' | 'usedMs'> }
  | { readonly kind: 'take' };

/** A pod's time counts from the report that the pod runs; a cycle's time counts until the next cycle asks. */
function meterOf(
  held: HeldClaim,
  { cycle, runs }: Ask,
  nowMs: number,
): Pick<HeldClaim, 'cycle' | 'runningSinceMs' | 'usedMs'> {
  const before = cycle === held.cycle ? held : { usedMs: usedMs(held, nowMs), runningSinceMs: null };
  return { cycle, usedMs: before.usedMs, runningSinceMs: before.runningSinceMs ?? (runs ? nowMs : null) };
}

/** `perHour` is the price of the requested tier. Pure and total. */
export function decideAsk(
  held: HeldClaim | null,
  ask: Ask,
  { perHour, nowMs }: { readonly perHour: bigint; readonly nowMs: number },
): AskDecision {
  if (perHour === 0n) return { kind: 'free' };
  if (held === null || held.uid !== ask.uid || held.tier !== ask.tier || held.untilMs <= nowMs) return { kind: 'take' };
  return { kind: 'keep', meter: meterOf(held, ask, nowMs) };
}

/** `end` posts the use and frees the rest, `renew` also takes the next hold, `notify`: the operator must end the pod */
export type Upkeep = 'none' | 'renew' | 'notify' | 'end';

/** Accepts any cycle: a later one may have begun while the API was down, and a requested one may still wait. */
function isLived(held: HeldClaim, agent: ClaimedAgent | null): boolean {
  return agent?.uid === held.uid && !agent.deleting && agent.awake && agent.tier === held.tier;
}

/** False soon after a request, because the resources lag behind it. */
export function isOrphan(
  held: HeldClaim,
  { agent, askedMs, nowMs }: { readonly agent: ClaimedAgent | null; readonly askedMs: number; readonly nowMs: number },
  { settleInMs }: ClaimTerms,
): boolean {
  return nowMs - askedMs > settleInMs && !isLived(held, agent);
}

/** The upkeep that a claim needs now, unless it is an orphan. Pure. */
export function upkeepOf(
  held: Pick<HeldClaim, 'untilMs'>,
  { nowMs, renewalRefused }: { readonly nowMs: number; readonly renewalRefused: boolean },
  { renewMs }: ClaimTerms,
): Upkeep {
  if (renewalRefused) return held.untilMs <= nowMs ? 'end' : 'none';
  return held.untilMs - nowMs <= renewMs ? 'renew' : 'none';
}

export function afterRefusedRenewal(
  { untilMs }: Pick<HeldClaim, 'untilMs'>,
  nowMs: number,
  { endMs }: ClaimTerms,
): Upkeep {
  return untilMs - nowMs <= endMs ? 'notify' : 'none';
}

/** The highest lower tier for which an agent can pay one period; null if there is none. Pure. */
export function payableBelow(
  tiers: readonly PricedTier[],
  tier: string,
  { available, terms }: { readonly available: bigint; readonly terms: ClaimTerms },
): string | null {
  const rank = tiers.find(({ name }) => name === tier)?.rank ?? -1;
  const below = tiers.filter(
    (each) => each.rank < rank && (each.perHour === 0n || holdAmount(each.perHour, terms) <= available),
  );
  return below.toSorted((a, b) => b.rank - a.rank || compareText(a.name, b.name))[0]?.name ?? null;
}
