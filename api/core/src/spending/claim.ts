import { HOUR_MS, timeCost } from './price.ts';

/** How holds of running agents follow one another. */
export interface ClaimTerms {
  /** Time that one hold pays for. */
  readonly periodMs: number;
  /** The next hold is taken when so much of the present one is left: an api that is away for less is not noticed. */
  readonly renewMs: number;
  /** When so much is left and no next hold could be taken, the operator is told to end the pod, or to give it a tier that is paid. */
  readonly endMs: number;
  /** How long a claim may stand without the agent's status telling of it: the pod may be about to be made, the watch may lag. */
  readonly settleInMs: number;
}

export const CLAIM_TERMS: ClaimTerms = { periodMs: HOUR_MS, renewMs: HOUR_MS / 2, endMs: 60_000, settleInMs: 60_000 };

/** Money set aside for the pod of one life of an agent. Times in milliseconds since 1970, money in micro-aiDollars. */
export interface HeldClaim {
  readonly uid: string;
  readonly cycle: number;
  readonly tier: string;
  readonly perHour: bigint;
  readonly amount: bigint;
  readonly untilMs: number;
  /** Since when the time is counted that `usedMs` does not have yet; null while no pod runs. */
  readonly runningSinceMs: number | null;
  readonly usedMs: number;
}

/** What an agent's resource says, as far as money cares; null where there is no such agent. */
export interface ClaimedAgent {
  readonly uid: string;
  readonly deleting: boolean;
  readonly awake: boolean;
  readonly tier: string | null;
}

/** What an hour of a tier costs. */
export interface PricedTier {
  readonly name: string;
  readonly rank: number;
  readonly perHour: bigint;
}

/** The time that was used of a hold and is not posted yet. It ends with what the hold pays for. Pure. */
export function usedMs(
  { runningSinceMs, usedMs: before, untilMs }: Pick<HeldClaim, 'runningSinceMs' | 'usedMs' | 'untilMs'>,
  nowMs: number,
): number {
  return runningSinceMs === null ? before : before + Math.max(0, Math.min(nowMs, untilMs) - runningSinceMs);
}

/** What is posted of a hold when it ends now: the time that was used, and never more than was held. 0: nothing was used, it is voided. Pure. */
export function dueOf(claim: HeldClaim, nowMs: number): bigint {
  const cost = timeCost(usedMs(claim, nowMs), claim.perHour);
  return cost < claim.amount ? cost : claim.amount;
}

/** What the next hold of a tier must be. Pure. */
export function holdAmount(perHour: bigint, { periodMs }: ClaimTerms): bigint {
  return timeCost(periodMs, perHour);
}

/** An operator asks for a tier. */
export interface Ask {
  readonly uid: string;
  readonly cycle: number;
  readonly tier: string;
  /** Whether the container of a pod of that cycle runs. */
  readonly runs: boolean;
}

/**
 * What becomes of what is held when an operator asks. `free`: nothing needs to be held, and what is ends. `keep`: it pays for the tier already, with
 * the meter as it is now. `take`: a hold is needed; what is held ends in the same transaction, unless the new one is refused.
 */
export type AskDecision =
  | { readonly kind: 'free' }
  | { readonly kind: 'keep'; readonly meter: Pick<HeldClaim, 'cycle' | 'runningSinceMs' | 'usedMs'> }
  | { readonly kind: 'take' };

/** The time of a pod counts from the moment at which it is said to run; that of the cycle before counts to the moment at which the next one asks. */
function meterOf(
  held: HeldClaim,
  { cycle, runs }: Ask,
  nowMs: number,
): Pick<HeldClaim, 'cycle' | 'runningSinceMs' | 'usedMs'> {
  const before = cycle === held.cycle ? held : { usedMs: usedMs(held, nowMs), runningSinceMs: null };
  return { cycle, usedMs: before.usedMs, runningSinceMs: before.runningSinceMs ?? (runs ? nowMs : null) };
}

/** Decides what an operator's wish does to what is held. @param perHour of the tier that is asked for. Pure and total. */
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
 * What the village does of its own accord. `end`: nothing runs by it any more: what was used is posted and the rest is free. `renew`: what was used is
 * posted and the next hold taken, if there is money for it. `tell`: renewing has failed until now, and the operator must end the pod.
 */
export type Upkeep = 'none' | 'renew' | 'tell' | 'end';

/**
 * Whether the agent's resource says that a pod runs by this claim, or is about to; of whichever cycle: a later one may have begun while the api could
 * not be asked, and one that was asked for may wait while the pod before it runs.
 */
function isLived(held: HeldClaim, agent: ClaimedAgent | null): boolean {
  return agent?.uid === held.uid && !agent.deleting && agent.awake && agent.tier === held.tier;
}

/** Whether nothing runs by a claim. What was asked for lately is not judged: resources tell of it a moment later. */
export function isOrphan(
  held: HeldClaim,
  { agent, askedMs, nowMs }: { readonly agent: ClaimedAgent | null; readonly askedMs: number; readonly nowMs: number },
  { settleInMs }: ClaimTerms,
): boolean {
  return nowMs - askedMs > settleInMs && !isLived(held, agent);
}

/** What is due of a claim that is no orphan. @param told whether the operator was told that it is not held any more. Pure. */
export function upkeepOf(
  held: Pick<HeldClaim, 'untilMs'>,
  { nowMs, told }: { readonly nowMs: number; readonly told: boolean },
  { renewMs }: ClaimTerms,
): Upkeep {
  if (told) return held.untilMs <= nowMs ? 'end' : 'none';
  return held.untilMs - nowMs <= renewMs ? 'renew' : 'none';
}

/** What follows where a next hold could not be taken. Pure. */
export function afterRefusedRenewal(
  { untilMs }: Pick<HeldClaim, 'untilMs'>,
  nowMs: number,
  { endMs }: ClaimTerms,
): Upkeep {
  return untilMs - nowMs <= endMs ? 'tell' : 'none';
}

/** The highest tier below another that an agent can pay a period of; null where there is none. A free one can always be paid. Pure. */
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
