import type { EventReason, Reason } from '@hamlet/contract/kinds';
import { isSeatReason } from '@hamlet/core/seats';
import { isTerminating, type TierView } from '../../../objects/cached-objects.ts';
import { FIXED_ANNOTATION, TIER_ANNOTATION } from '../../../objects/names.ts';
import { isResizing, type PodView } from '../../../objects/pod-view.ts';
import { fixedOf, isOfWindow, isSameSize, type Size, sizeOf } from '../../../objects/tier-compute.ts';
import { conditionIn } from '../../../status/condition.ts';
import type { Facts, FactsWithPod } from '../facts.ts';

/** Time limit for a node to shrink a pod, or to find room for a larger one. Then the operator replaces the pod. */
const RESIZE_TIMEOUT_MS = 30_000;

type Sizing =
  | { readonly kind: 'none' }
  | { readonly kind: 'resize'; readonly lookMs: number }
  | { readonly kind: 'wait'; readonly lookMs: number }
  | {
      readonly kind: 'replace';
      readonly cause:
        | Extract<EventReason, 'TierChanged' | 'GpuWindow' | 'ResizeTimedOut'>
        | Extract<Reason, 'ResizeRefused'>;
    };

const NONE: Sizing = { kind: 'none' };

export function needsReplacement(pod: PodView, tier: TierView): boolean {
  const fixed = pod.metadata.annotations?.[FIXED_ANNOTATION];
  return fixed !== undefined && fixed !== fixedOf(tier);
}

function isOfOtherWindow(pod: PodView, tier: TierView): boolean {
  return [pod.metadata.annotations?.[FIXED_ANNOTATION] ?? '', fixedOf(tier)].some(isOfWindow);
}

const isSmaller = (size: Size, given: Size): boolean =>
  size.cpuMillis < given.cpuMillis || size.memoryBytes < given.memoryBytes;

/** False while a node that has room is enlarging the pod, and on a lost node, which has its own timeout. */
function isTimed({ node }: Facts, { size, given, resize }: PodView): boolean {
  if (node?.ready === false || size === undefined || given === undefined) return false;
  return isSmaller(size, given) || resize?.reason === 'Deferred';
}

function atNode(facts: Facts, pod: PodView, nowMs: number): Sizing {
  if (pod.resize?.reason === 'Infeasible') return { kind: 'replace', cause: 'ResizeRefused' };
  if (!isTimed(facts, pod)) return NONE;
  const lookMs = (facts.resize?.sinceMs ?? nowMs) + RESIZE_TIMEOUT_MS - nowMs;
  return lookMs > 0 ? { kind: 'wait', lookMs } : { kind: 'replace', cause: 'ResizeTimedOut' };
}

function asked({ resize }: Facts): Sizing {
  const maySucceed = resize?.refusal === undefined || resize.refusal.newPodToo;
  return maySucceed ? { kind: 'resize', lookMs: RESIZE_TIMEOUT_MS } : { kind: 'replace', cause: 'ResizeRefused' };
}

/** True if the agent has a seat of its tier. A granted seat with a `reason` belongs to another tier. */
export const hasSeatOfTier = ({ seat }: Pick<Facts, 'seat'>): boolean => seat.granted && seat.reason === undefined;

/** True if a pod of another tier has been waiting for a seat of this tier. */
function hasWaitedForSeat({ agent: { status } }: Facts, pod: PodView, tier: TierView): boolean {
  const made = pod.metadata.annotations?.[TIER_ANNOTATION];
  const resized = conditionIn(status, 'Resized');
  return (
    made !== undefined && made !== tier.metadata.name && resized?.status === 'False' && isSeatReason(resized.reason)
  );
}

function replacing(facts: Facts, pod: PodView, tier: TierView): Sizing {
  // The agent has paid for its GPU window, so its pod is replaced at once, without waiting for a turn.
  if (isOfOtherWindow(pod, tier)) return { kind: 'replace', cause: 'GpuWindow' };
  // An edited tier changes many agents at once, so they take turns. A change to another tier concerns this agent alone.
  const isKnown = facts.publishedTier === tier.metadata.name && !hasWaitedForSeat(facts, pod, tier);
  return isKnown ? NONE : { kind: 'replace', cause: 'TierChanged' };
}

export function sizingOf(facts: FactsWithPod, tier: TierView | undefined, nowMs: number): Sizing {
  const { pod } = facts;
  if (pod?.size === undefined || tier === undefined || isTerminating(pod) || !hasSeatOfTier(facts)) return NONE;
  if (needsReplacement(pod, tier)) return replacing(facts, pod, tier);
  if (!isSameSize(pod.size, sizeOf(tier))) return asked(facts);
  return isResizing(pod) ? atNode(facts, pod, nowMs) : NONE;
}
