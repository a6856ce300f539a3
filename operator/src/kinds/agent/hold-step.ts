import { deletionMs, isTerminating } from './child/claim.ts';
import { isSameSize, sizeOf } from './child/compute.ts';
import { holdOf, isFree, mayBegin } from './condition/payment.ts';
import type { Admission } from './condition/verdict.ts';
import type { CycleStep } from './cycle.ts';
import { lapsesInMs } from './observe.ts';
import { hasSeatOfTier, isResizing } from './pod/sizing.ts';
import { podOfCycle, type Observed, type PodView, type TierView } from './views.ts';

/** What is to be asked of the api about money. */
export type HoldAction =
  /** Set aside what an hour of the tier costs, for a pod of that cycle; with a pod, its time is counted from now on. */
  | {
      readonly kind: 'askHold';
      readonly tier: string;
      readonly cycle: number;
      readonly podUid: string | null;
      readonly imageDigest: string | null;
    }
  /** Nothing of a priced tier runs any more. */
  | { readonly kind: 'releaseHold'; readonly version: number };

export interface HoldStep {
  readonly actions: readonly HoldAction[];
  /** A cycle would begin that is not paid for yet: nothing else is done about pods until it is. */
  readonly blocks: boolean;
  /** When what is held lapses, unless it is renewed. */
  readonly lookMs?: number;
}

interface Decided {
  readonly step: CycleStep;
  readonly admission: Admission;
}

const isLiving = (pod: PodView, nowMs: number): boolean => !isTerminating(pod) || deletionMs(pod) > nowMs;

function asking(tier: TierView, cycle: number, pod: PodView | undefined): HoldAction {
  const runs = pod?.container?.running === true ? pod : undefined;
  return {
    kind: 'askHold',
    tier: tier.metadata.name,
    cycle,
    podUid: runs?.metadata.uid ?? null,
    imageDigest: runs?.container?.imageId ?? null,
  };
}

/** A cycle begins with a pod. */
function isStarting(observed: Observed, { cycle, power, cause }: CycleStep): boolean {
  return power === 'Awake' && (cause !== undefined || podOfCycle(observed, cycle) === undefined);
}

/** Whether the api knows that the pod of a cycle runs, where it does. */
function isMetered(observed: Observed, pod: PodView, cycle: number): boolean {
  const hold = holdOf(observed);
  return hold?.cycle === cycle && (pod.container?.running !== true || hold.podUid === pod.metadata.uid);
}

/** A pod runs that nothing of its cycle is held for: of its own tier, of the one that it is to have, or because the api does not know yet that it runs. */
function whileRunning(
  observed: Observed,
  { step: { cycle }, admission: { tier, target, payment } }: Decided,
): readonly HoldAction[] {
  const pod = podOfCycle(observed, cycle);
  if (pod === undefined || tier === undefined || target === undefined || isTerminating(pod)) return [];
  if (payment === 'pending') return hasSeatOfTier(observed) ? [asking(target, cycle, pod)] : [];
  const isSettled = payment === 'refused' || isFree(tier) || isMetered(observed, pod, cycle);
  return isSettled ? [] : [asking(tier, cycle, pod)];
}

/** Whether a pod has shed what a priced tier gave it. */
function isOfFreeTier(observed: Observed, { tier, target }: Admission, cycle: number): boolean {
  const pod = podOfCycle(observed, cycle);
  if (tier === undefined || tier !== target || !isFree(tier) || pod?.size === undefined) return false;
  return isSameSize(pod.size, sizeOf(tier)) && !isResizing(pod);
}

/** What is held is given back when the last pod is gone and none is about to begin, or when the pod is of a free tier. */
function releases(observed: Observed, { step, admission }: Decided, nowMs: number): readonly HoldAction[] {
  const hold = holdOf(observed);
  if (hold?.tier === undefined) return [];
  const isIdle = !observed.pods.some((pod) => isLiving(pod, nowMs)) && (step.power === 'Asleep' || !admission.granted);
  return isIdle || isOfFreeTier(observed, admission, step.cycle)
    ? [{ kind: 'releaseHold', version: hold.version }]
    : [];
}

/** What money asks for, before pods are made or resized. The api is asked only while it is heard. Pure. */
export function holdStep(observed: Observed, decided: Decided, nowMs: number): HoldStep {
  const {
    step,
    admission: { tier },
  } = decided;
  const hold = holdOf(observed);
  const look = hold?.held === true && !hold.lapsed ? { lookMs: lapsesInMs(hold, nowMs) } : {};
  const isHeard = observed.knowledge === 'Current';
  if (isStarting(observed, step) && tier !== undefined && !mayBegin(observed, tier, step.cycle)) {
    return { actions: isHeard ? [asking(tier, step.cycle, undefined)] : [], blocks: true, ...look };
  }
  const actions = isHeard ? [...whileRunning(observed, decided), ...releases(observed, decided, nowMs)] : [];
  return { actions, blocks: false, ...look };
}
