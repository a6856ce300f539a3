import { HOUR_MS, timeCost } from './usage-cost.ts';

/** Terms of the holds of running agents. */
export interface ClaimTerms {
  /** Time that one hold pays for. */
  readonly periodMs: number;
  /** Rest of the present hold at which the next is taken: a shorter absence of the API has no effect. */
  readonly renewMs: number;
  /** Rest of the paid time at which, without a next hold, the operator is notified to end the pod or to give it a paid tier. */
  readonly endMs: number;
  /** Time for which a claim may stand without being reflected in the agent's status: the pod may be about to be created, the watch may lag. */
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
  /** Begin of the time that `usedMs` does not include yet; null while no pod runs. */
  readonly runningSinceMs: number | null;
  readonly usedMs: number;
}

/** An agent's resource in the fields that matter for money; null if there is no such agent. */
export interface ClaimedAgent {
  readonly uid: string;
  readonly deleting: boolean;
  readonly awake: boolean;
  readonly tier: string | null;
}

/** Price of an hour of a tier. */
export interface PricedTier {
  readonly name: string;
  readonly rank: number;
  readonly perHour: bigint;
}

/** Used and unposted time of a hold. It ends with the paid time. Pure. */
export function usedMs(
  { runningSinceMs, usedMs: before, untilMs }: Pick<HeldClaim, 'runningSinceMs' | 'usedMs' | 'untilMs'>,
  nowMs: number,
): number {
  return runningSinceMs === null ? before : before + Math.max(0, Math.min(nowMs, untilMs) - runningSinceMs);
}

/** Amount to post of a hold that ends now: the used time, at most the held amount. 0: nothing was used, and the hold is voided. Pure. */
export function dueOf(claim: HeldClaim, nowMs: number): bigint {
  const cost = timeCost(usedMs(claim, nowMs), claim.perHour);
  return cost < claim.amount ? cost : claim.amount;
}

/** Amount of the next hold of a tier. Pure. */
export function holdAmount(perHour: bigint, { periodMs }: ClaimTerms): bigint {
  return timeCost(periodMs, perHour);
}

/** An operator's request for compute of a tier. */
export interface Ask {
  readonly uid: string;
  readonly cycle: number;
  readonly tier: string;
  /** Whether the container of a pod of that cycle runs. */
  readonly runs: boolean;
}

/**
 * Decision about the hold when an operator asks. `free`: no hold is needed, and a present hold ends. `keep`: the
 * present hold already pays for the tier; `meter` is its meter as of now. `take`: a new hold is needed; the present
 * hold ends in the same transaction, unless the new hold is refused.
 */
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

/**
 * Decides about the hold when an operator asks for a tier. @param perHour of the requested tier. Pure and total.
 */
export function decideAsk(
  held: HeldClaim | null,
  ask: Ask,
  { perHour, nowMs }: { readonly perHour: bigint; readonly nowMs: number },
): AskDecision {
  if (perHour === 0n) return { kind: 'free' };
  if (held === null || held.uid !== ask.uid || held.tier !== ask.tier || held.untilMs <= nowMs) return { kind: 'take' };
  return { kind: 'keep', meter: meterOf(held, ask, nowMs) };
}

/**
 * Upkeep of a claim. `end`: nothing runs under it; the use is posted and the rest is free. `renew`: the use is posted and the next hold
 * taken, if there is money. `notify`: renewing has failed, and the operator must end the pod.
 */
export type Upkeep = 'none' | 'renew' | 'notify' | 'end';

/**
 * Whether the agent's resource shows a pod under this claim, running or about to, of any cycle: a later one may have begun while the API
 * was unreachable, and a requested one may wait while the pod before it runs.
 */
function isLived(held: HeldClaim, agent: ClaimedAgent | null): boolean {
  return agent?.uid === held.uid && !agent.deleting && agent.awake && agent.tier === held.tier;
}

/** Whether nothing runs under a claim. A recent request is not judged: resources reflect it a moment later. */
export function isOrphan(
  held: HeldClaim,
  { agent, askedMs, nowMs }: { readonly agent: ClaimedAgent | null; readonly askedMs: number; readonly nowMs: number },
  { settleInMs }: ClaimTerms,
): boolean {
  return nowMs - askedMs > settleInMs && !isLived(held, agent);
}

/**
 * Upkeep that is due of a claim that is no orphan. @param renewalRefused whether renewal was refused and the operator notified. Pure.
 */
export function upkeepOf(
  held: Pick<HeldClaim, 'untilMs'>,
  { nowMs, renewalRefused }: { readonly nowMs: number; readonly renewalRefused: boolean },
  { renewMs }: ClaimTerms,
): Upkeep {
  if (renewalRefused) return held.untilMs <= nowMs ? 'end' : 'none';
  return held.untilMs - nowMs <= renewMs ? 'renew' : 'none';
}

/** Upkeep after a next hold was refused. Pure. */
export function afterRefusedRenewal(
  { untilMs }: Pick<HeldClaim, 'untilMs'>,
  nowMs: number,
  { endMs }: ClaimTerms,
): Upkeep {
  return untilMs - nowMs <= endMs ? 'notify' : 'none';
}

/** The highest tier below another of which an agent can pay a period; null if there is none. A free one can always be paid. Pure. */
export function payableBelow(
  tiers: readonly PricedTier[],
  tier: string,
  { available, terms }: { readonly available: bigint; readonly terms: ClaimTerms },
): string | null {
  const rank = tiers.find(({ name }) => name === tier)?.rank ?? -1;
  const below = tiers.filter(
    (each) => each.rank < rank && (each.perHour === 0n || holdAmount(each.perHour, terms) <= available),
  );
  return below.toSorted((a, b) => b.rank - a.rank || a.name.localeCompare(b.name))[0]?.name ?? null;
}
