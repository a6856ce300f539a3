import { deletionMs, isTerminating, type TierView } from '../../objects/cached-objects.ts';
import { isResizing, type PodView } from '../../objects/pod-view.ts';
import { isSameSize, sizeOf } from '../../objects/tier-compute.ts';
import { lapsesInMs } from '../../village/api-state.ts';
import { holdOf, isFree, mayBegin } from './condition/payment.ts';
import { hasSeatOfTier } from './condition/sizing.ts';
import type { CycleStep } from './cycle.ts';
import type { Observed } from './observe.ts';

export type HoldAction =
  /** Reserves an hour of the tier for a pod of that cycle. With `podUid`, the api charges that pod's time from now on. */
  | {
      readonly kind: 'askHold';
      readonly tier: string;
      readonly cycle: number;
      readonly podUid: string | null;
      readonly imageDigest: string | null;
    }
  | { readonly kind: 'releaseHold'; readonly version: number };

interface HoldStep {
  readonly actions: readonly HoldAction[];
  /** True if the next cycle is not paid yet. The operator then changes no pod until that cycle is paid. */
  readonly blocks: boolean;
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

const isStarting = ({ power, cause, pod }: CycleStep): boolean =>
  power === 'Awake' && (cause !== undefined || pod === undefined);

function isMetered(observed: Observed, pod: PodView, cycle: number): boolean {
  const hold = holdOf(observed);
  return hold?.cycle === cycle && (pod.container?.running !== true || hold.pod_uid === pod.metadata.uid);
}

/**
 * Requests money for the next tier of a running pod. If no change of tier waits and the api does not count the pod's time yet,
 * requests money for the current tier.
 */
function whileRunning(observed: Observed, { cycle, pod }: CycleStep): readonly HoldAction[] {
  const { tier, target, payment } = observed.admission;
  if (pod === undefined || tier === undefined || target === undefined || isTerminating(pod)) return [];
  if (payment === 'pending') return hasSeatOfTier(observed) ? [asking(target, cycle, pod)] : [];
  const isSettled = payment === 'refused' || isFree(tier) || isMetered(observed, pod, cycle);
  return isSettled ? [] : [asking(tier, cycle, pod)];
}

function isOfFreeTier({ admission: { tier, target } }: Observed, pod: PodView | undefined): boolean {
  if (tier === undefined || tier !== target || !isFree(tier) || pod === undefined) return false;
  return (pod.size === undefined || isSameSize(pod.size, sizeOf(tier))) && !isResizing(pod);
}

/** Releases the hold once the last pod is gone and no other is about to begin, or once the pod has a free tier. */
function releases(observed: Observed, { power, pod }: CycleStep, nowMs: number): readonly HoldAction[] {
  const hold = holdOf(observed);
  if (hold === undefined || hold.tier === null) return [];
  const isIdle =
    !observed.pods.some((each) => lives(each, nowMs)) && (power === 'Asleep' || !observed.admission.granted);
  return isIdle || isOfFreeTier(observed, pod) ? [{ kind: 'releaseHold', version: hold.version }] : [];
}

/** Decides the requests for money before a pod is created or resized; none while the api does not answer. Pure. */
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
