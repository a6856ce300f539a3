import type { EventReason, Reason } from '@hamlet/contract/kinds';
import { isSeatReason } from '@hamlet/core/seats';
import { isTerminating } from '../child/claim.ts';
import { fixedOf, isOfWindow, isSameSize, sizeOf } from '../child/compute.ts';
import { FIXED_ANNOTATION, TIER_ANNOTATION, type Observed, type PodView, type Size, type TierView } from '../views.ts';

/** A node that has not made a pod smaller by then, or has found no room for a larger one, is not waited for. */
export const RESIZE_TIMEOUT_MS = 30_000;

/** What the compute of the tier asks for, of the pod that there is. */
export type Sizing =
  | { readonly kind: 'none' }
  /** The API server is to be asked for the size. */
  | { readonly kind: 'resize'; readonly lookMs: number }
  /** The node is at it. */
  | { readonly kind: 'wait'; readonly lookMs: number }
  | {
      readonly kind: 'replace';
      readonly cause:
        | Extract<EventReason, 'TierChanged' | 'GpuWindow' | 'ResizeTimedOut'>
        | Extract<Reason, 'ResizeRefused'>;
    };

const NONE: Sizing = { kind: 'none' };

/** The pod has GPUs or a priority that the tier does not give, or lacks those that it gives. */
export function isOfOtherMaking(pod: PodView, tier: TierView): boolean {
  const fixed = pod.metadata.annotations?.[FIXED_ANNOTATION];
  return fixed !== undefined && fixed !== fixedOf(tier);
}

/** What differs is a GPU window: it begins, ends or is another. */
function isOfOtherWindow(pod: PodView, tier: TierView): boolean {
  return [pod.metadata.annotations?.[FIXED_ANNOTATION] ?? '', fixedOf(tier)].some(isOfWindow);
}

/** The pod asks for a size that its node has not given it. */
export function isResizing({ size, given }: PodView): boolean {
  return size !== undefined && given !== undefined && !isSameSize(size, given);
}

const isSmaller = (size: Size, given: Size): boolean =>
  size.cpuMillis < given.cpuMillis || size.memoryBytes < given.memoryBytes;

/** Whether the node gets a time to do it in. One that makes a pod larger and says nothing of room is at work; one that is lost has a reason and a time of its own. */
function isTimed({ node }: Observed, { size, given, resize }: PodView): boolean {
  if (node?.ready === false || size === undefined || given === undefined) return false;
  return isSmaller(size, given) || resize?.reason === 'Deferred';
}

/** The node works on what the pod asks for. */
function atNode(observed: Observed, pod: PodView, nowMs: number): Sizing {
  if (pod.resize?.reason === 'Infeasible') return { kind: 'replace', cause: 'ResizeRefused' };
  if (!isTimed(observed, pod)) return NONE;
  const lookMs = (observed.resize?.sinceMs ?? nowMs) + RESIZE_TIMEOUT_MS - nowMs;
  return lookMs > 0 ? { kind: 'wait', lookMs } : { kind: 'replace', cause: 'ResizeTimedOut' };
}

function asked({ resize }: Observed): Sizing {
  const mayGoWell = resize?.refusal === undefined || resize.refusal.newPodToo;
  return mayGoWell ? { kind: 'resize', lookMs: RESIZE_TIMEOUT_MS } : { kind: 'replace', cause: 'ResizeRefused' };
}

/** With a reason, the agent keeps the seat that it has and waits for the one of its tier. */
export function hasSeatOfTier({ seat }: Observed): boolean {
  return seat.granted && seat.reason === undefined;
}

/** The status names the tier already, for whose seat the agent has waited until now with the pod of another tier. */
function hasWaitedForSeat({ agent: { status } }: Observed, pod: PodView, tier: TierView): boolean {
  const made = pod.metadata.annotations?.[TIER_ANNOTATION];
  const told = status.conditions?.find(({ type }) => type === 'Resized');
  return made !== undefined && made !== tier.metadata.name && told?.status === 'False' && isSeatReason(told.reason);
}

/** Of a pod that has other GPUs or another priority than its agent shall have. */
function remaking(observed: Observed, pod: PodView, tier: TierView): Sizing {
  // What was bought has its time, which does not wait for anybody's turn.
  if (isOfOtherWindow(pod, tier)) return { kind: 'replace', cause: 'GpuWindow' };
  // An edited tier changes many agents at once: they take turns. Another tier is this agent's own affair.
  const isKnown = observed.toldTier === tier.metadata.name && !hasWaitedForSeat(observed, pod, tier);
  return isKnown ? NONE : { kind: 'replace', cause: 'TierChanged' };
}

/** Whether the pod must be resized, waited for or made anew to have what its tier gives. */
export function sizingOf(
  observed: Observed,
  { pod, tier }: { readonly pod: PodView | undefined; readonly tier: TierView | undefined },
  nowMs: number,
): Sizing {
  if (
    pod === undefined ||
    tier === undefined ||
    isTerminating(pod) ||
    pod.size === undefined ||
    !hasSeatOfTier(observed)
  )
    return NONE;
  if (isOfOtherMaking(pod, tier)) return remaking(observed, pod, tier);
  if (!isSameSize(pod.size, sizeOf(tier))) return asked(observed);
  return isResizing(pod) ? atNode(observed, pod, nowMs) : NONE;
}
