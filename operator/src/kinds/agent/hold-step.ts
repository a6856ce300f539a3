import { deletionMs, isTerminating, type TierView } from '../../objects/cached-objects.ts';
import { isResizing, type PodView } from '../../objects/pod-view.ts';
import { isSameSize, sizeOf } from '../../objects/tier-compute.ts';
import { lapsesInMs } from '../../village/api-state.ts';
import { holdOf, isFree, mayBegin } from './condition/payment.ts';
import { hasSeatOfTier } from './condition/sizing.ts';
import type { CycleStep } from './cycle.ts';
import type { Observed } from './observe.ts';

/** A request to the api about money. */
export type HoldAction =
  /** Reserve an hour of the tier for a pod of that cycle; with a pod, its time counts from now on. */
  | {
      readonly kind: 'askHold';
      readonly tier: string;
      readonly cycle: number;
      readonly podUid: string | null;
      readonly imageDigest: string | null;
    }
  /** No pod of a priced tier runs any longer. */
  | { readonly kind: 'releaseHold'; readonly version: number };

export interface HoldStep {
  readonly actions: readonly HoldAction[];
  /** A cycle would begin that is not paid yet: no pod changes until it is. */
  readonly blocks: boolean;
  /** Milliseconds until the hold lapses, unless it is renewed. */
  readonly lookMs?: number;
}

const lives = (pod: PodView, nowMs: number): boolean => !isTerminating(pod) || deletionMs(pod) > nowMs;

function asking(tier: TierView, cycle: number, pod: PodView | undefined): HoldAction {
  const running = pod?.container?.running === true ? pod : undefined;
  return {
    kind: 'askHold',
    tier: tier.metadata.name,
    cycle,
    podUid: running?.metadata.uid ?? null,
    imageDigest: running?.container?.imageId ?? null,
  };
}

/** Whether the step begins a cycle's pod. */
const isStarting = ({ power, cause, pod }: CycleStep): boolean =>
  power === 'Awake' && (cause !== undefined || pod === undefined);

/** Whether the api counts the time of the cycle's pod, if it runs. */
function isMetered(observed: Observed, pod: PodView, cycle: number): boolean {
  const hold = holdOf(observed);
  return hold?.cycle === cycle && (pod.container?.running !== true || hold.pod_uid === pod.metadata.uid);
}

/** Asks for money for a running pod without a hold of its cycle: for its tier, for its next tier, or to report that it runs. */
function whileRunning(observed: Observed, { cycle, pod }: CycleStep): readonly HoldAction[] {
  const { tier, target, payment } = observed.admission;
  if (pod === undefined || tier === undefined || target === undefined || isTerminating(pod)) return [];
  if (payment === 'pending') return hasSeatOfTier(observed) ? [asking(target, cycle, pod)] : [];
  const isSettled = payment === 'refused' || isFree(tier) || isMetered(observed, pod, cycle);
  return isSettled ? [] : [asking(tier, cycle, pod)];
}

/** Whether the pod has no compute of a priced tier any longer. */
function isOfFreeTier({ admission: { tier, target } }: Observed, pod: PodView | undefined): boolean {
  if (tier === undefined || tier !== target || !isFree(tier) || pod?.size === undefined) return false;
  return isSameSize(pod.size, sizeOf(tier)) && !isResizing(pod);
}

/** Releases the hold once the last pod is gone and none is about to begin, or once the pod is of a free tier. */
function releases(observed: Observed, { power, pod }: CycleStep, nowMs: number): readonly HoldAction[] {
  const hold = holdOf(observed);
  if (hold === undefined || hold.tier === null) return [];
  const isIdle =
    !observed.pods.some((each) => lives(each, nowMs)) && (power === 'Asleep' || !observed.admission.granted);
  return isIdle || isOfFreeTier(observed, pod) ? [{ kind: 'releaseHold', version: hold.version }] : [];
}

/** The requests for money, before pods are created or resized. The operator asks only while the api answers. Pure. */
export function holdStep(observed: Observed, step: CycleStep, nowMs: number): HoldStep {
  const { admission, apiState } = observed;
  const hold = holdOf(observed);
  const look = hold?.held === true && !hold.lapsed ? { lookMs: lapsesInMs(hold, nowMs) } : {};
  const isCurrent = apiState === 'Current';
  const { tier } = admission;
  if (isStarting(step) && tier !== undefined && !mayBegin(observed, tier, step.cycle))
    return { actions: isCurrent ? [asking(tier, step.cycle, undefined)] : [], blocks: true, ...look };
  const actions = isCurrent ? [...whileRunning(observed, step), ...releases(observed, step, nowMs)] : [];
  return { actions, blocks: false, ...look };
}
