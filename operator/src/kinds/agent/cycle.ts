import type { Power } from '@hamlet/contract/kinds';
import { podName, podOfCycle, type Observed, type PodView } from './views.ts';

/** A pod that failed is not replaced sooner than this after it was made. */
export const REPLACE_AFTER_MS = 10_000;

/** An agent that waits for its turn to get a new image looks this often whether it has come. */
export const UPGRADE_LOOK_MS = 5_000;

/** Why a cycle begins. */
export type CycleCause = 'Awakened' | 'Suspended' | 'Rebooted' | 'PodLost' | 'PodDeleted' | 'PodFailed' | 'NameTaken' | 'ImageChanged';

/** Where the run cycle goes. */
export interface CycleStep {
  /** The cycle that holds after this step. */
  readonly cycle: number;
  /** Awake where a pod of the cycle shall exist. */
  readonly power: Power;
  /** Set where `cycle` is a new one. */
  readonly cause?: CycleCause;
  /** Set where the pod may be replaced later. */
  readonly waitMs?: number;
}

/**
 * The power that counts: what the spec says, if the agent may run. A pod that runs already is kept when only its tier
 * cannot be found any more: deleting an Entitlement by mistake shall not stop a village.
 */
function powerOf(observed: Observed, granted: boolean): Power {
  const { spec, status } = observed.agent;
  if (spec?.power === 'Asleep') return 'Asleep';
  if (granted) return 'Awake';
  const outcast = observed.standing?.quarantined === true || observed.standing?.frozen === true;
  return status.power === 'Awake' && !outcast ? 'Awake' : 'Asleep';
}

/** What ends the cycle from below: its pod is gone, going or dead. */
function endOfPod(observed: Observed, pod: PodView | undefined): CycleCause | undefined {
  const { metadata, status } = observed.agent;
  if (pod === undefined) {
    if (status.podName === podName(metadata, status.cycle ?? 0)) return 'PodLost';
    return observed.nameTaken ? 'NameTaken' : undefined;
  }
  if (pod.metadata.deletionTimestamp !== undefined) return 'PodDeleted';
  return pod.phase === 'Failed' || pod.phase === 'Succeeded' ? 'PodFailed' : undefined;
}

/** Waits before the replacement that `cause` asks for, in milliseconds; none if negative. */
function waitFor(cause: CycleCause, pod: PodView | undefined, nowMs: number): number {
  if (cause !== 'PodFailed') return 0;
  return Date.parse(pod?.metadata.creationTimestamp ?? '') + REPLACE_AFTER_MS - nowMs;
}

function causeOf(observed: Observed, pod: PodView | undefined): CycleCause | undefined {
  const { spec, status } = observed.agent;
  if (spec?.rebootedAt !== undefined && spec.rebootedAt !== status.rebootedAt) return 'Rebooted';
  return endOfPod(observed, pod) ?? (observed.upgrade === 'now' ? 'ImageChanged' : undefined);
}

function whileAwake(observed: Observed, cycle: number, nowMs: number): CycleStep {
  const stays = { cycle, power: 'Awake' } as const;
  const pod = podOfCycle(observed, cycle);
  const cause = causeOf(observed, pod);
  if (cause === undefined) return observed.upgrade === 'waits' ? { ...stays, waitMs: UPGRADE_LOOK_MS } : stays;
  const waitMs = waitFor(cause, pod, nowMs);
  return waitMs > 0 ? { ...stays, waitMs } : { cycle: cycle + 1, power: 'Awake', cause };
}

/**
 * Decides the run cycle. It grows by one at each awakening, suspension and reboot, and whenever the cycle's pod has
 * ended; never because of the same wish twice.
 */
export function cycleStep(observed: Observed, granted: boolean, nowMs: number): CycleStep {
  const { status } = observed.agent;
  const cycle = status.cycle ?? 0;
  const power = powerOf(observed, granted);
  const before = status.power ?? 'Asleep';
  if (power === before) return power === 'Asleep' ? { cycle, power } : whileAwake(observed, cycle, nowMs);
  return { cycle: cycle + 1, power, cause: power === 'Awake' ? 'Awakened' : 'Suspended' };
}
