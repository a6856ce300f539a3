import type { EventReason, Power, Reason } from '@hamlet/contract/kinds';
import { endsPod } from '@hamlet/core/seats';
import { isTerminating } from '../../objects/cached-objects.ts';
import { podName } from '../../objects/names.ts';
import { isOver, type PodView } from '../../objects/pod-view.ts';
import { sizingOf } from './condition/sizing.ts';
import { type Bar, barOf } from './condition/standing.ts';
import type { Observed } from './observe.ts';

/** Minimum age of a failed or outdated pod before the operator replaces it. */
const REPLACE_AFTER_MS = 10_000;

/** Interval at which the operator checks whether it is an agent's turn to get a new pod. */
const UPGRADE_LOOK_MS = 5_000;

type EndOfPod =
  | Extract<
      EventReason,
      | 'PodLost'
      | 'PodDeleted'
      | 'PodFailed'
      | 'NameTaken'
      | 'Preempted'
      | 'Evicted'
      | 'NodeDrained'
      | 'NodePressure'
      | 'SeatMoved'
    >
  | Extract<Reason, 'NodeLost'>;

export type CycleCause =
  | Bar
  | EndOfPod
  | Extract<
      EventReason,
      'Awakened' | 'Suspended' | 'Rebooted' | 'ImageChanged' | 'TierChanged' | 'GpuWindow' | 'ResizeTimedOut'
    >
  | Extract<Reason, 'Displaced' | 'NodeShort' | 'NotPaid' | 'HoldRefused' | 'ResizeRefused'>;

export interface CycleStep {
  readonly cycle: number;
  readonly power: Power;
  readonly cause?: CycleCause;
  readonly pod?: PodView | undefined;
  readonly resizes?: boolean;
  readonly waitMs?: number;
}

const DISRUPTIONS: Readonly<Record<string, EndOfPod>> = {
  PreemptionByScheduler: 'Preempted',
  EvictionByEvictionAPI: 'Evicted',
  DeletionByTaintManager: 'Evicted',
  TerminationByKubelet: 'NodePressure',
  DeletionByPodGC: 'NodeLost',
};

function disruptionOf({ node }: Observed, pod: PodView): EndOfPod | undefined {
  if (node?.ready === false) return 'NodeLost';
  const end = pod.disruption === undefined ? undefined : DISRUPTIONS[pod.disruption];
  return end === 'Evicted' && node?.cordoned === true ? 'NodeDrained' : end;
}

/** Why a pod that waits for the scheduler must end: its seat has moved, because its node failed, is cordoned or is full. */
function seatMoved({ seatNode, seat }: Observed, { nodeName }: PodView): EndOfPod | undefined {
  const isMoved = seat.reason === undefined && seat.node !== undefined && seat.node !== seatNode?.name;
  if (nodeName !== undefined || seatNode === undefined || !isMoved) return undefined;
  if (!seatNode.ready) return 'NodeLost';
  return seatNode.cordoned === true ? 'NodeDrained' : 'SeatMoved';
}

function endOfPod(observed: Observed): EndOfPod | undefined {
  const { agent, pod, nameTaken } = observed;
  const { metadata, status } = agent;
  if (pod === undefined) {
    if (status.podName === podName(metadata, status.cycle ?? 0)) return 'PodLost';
    return nameTaken ? 'NameTaken' : undefined;
  }
  if (isTerminating(pod)) return disruptionOf(observed, pod) ?? 'PodDeleted';
  if (isOver(pod)) return disruptionOf(observed, pod) ?? 'PodFailed';
  return seatMoved(observed, pod);
}

/** Reasons of the condition Admitted that end a running pod. */
const UNPAID = ['NotPaid', 'HoldRefused'] as const;

/** True if the agent may be awake. It may with `HoldPending`, because the operator requests money when a cycle begins. */
const isGranted = ({ admission: { granted, admitted } }: Observed): boolean =>
  granted || admitted.reason === 'HoldPending';

/**
 * The spec's power, if the agent may run. A pod stays if only its tier is missing, in case an Entitlement was deleted by mistake.
 */
function powerOf(observed: Observed): Readonly<{ power: Power; cause: CycleCause }> {
  const { agent, seat, admission } = observed;
  const bar = barOf(observed);
  if (agent.spec?.power === 'Asleep') return { power: 'Asleep', cause: bar === 'Killed' ? bar : 'Suspended' };
  if (bar !== undefined) return { power: 'Asleep', cause: bar };
  if (isGranted(observed)) return { power: 'Awake', cause: 'Awakened' };
  const unpaid = UNPAID.find((reason) => reason === admission.admitted.reason);
  if (unpaid !== undefined) return { power: 'Asleep', cause: unpaid };
  if (endsPod(seat)) return { power: 'Asleep', cause: seat.reason === 'NodeShort' ? 'NodeShort' : 'Displaced' };
  return { power: agent.status.power ?? 'Asleep', cause: 'Suspended' };
}

/** Causes that can recur: a failing container, a node under pressure, an admission webhook that changes the image. */
const RECURRING: ReadonlySet<CycleCause> = new Set(['PodFailed', 'NodePressure', 'ImageChanged']);

/** Milliseconds until the operator may replace the pod; 0 or less if it may do so now. */
function waitFor(cause: CycleCause, pod: PodView | undefined, nowMs: number): number {
  if (!RECURRING.has(cause)) return 0;
  return Date.parse(pod?.metadata.creationTimestamp ?? '') + REPLACE_AFTER_MS - nowMs;
}

type Change = Pick<CycleStep, 'cause' | 'waitMs' | 'resizes'>;

function changeOf(observed: Observed, nowMs: number): Change {
  const { agent, admission, upgrade, pod } = observed;
  const { spec, status } = agent;
  if (spec?.rebootedAt !== undefined && spec.rebootedAt !== status.rebootedAt) return { cause: 'Rebooted' };
  const end = endOfPod(observed);
  if (end !== undefined) return { cause: end, waitMs: waitFor(end, pod, nowMs) };
  const sizing = sizingOf(observed, admission.tier, nowMs);
  if (sizing.kind === 'replace') return { cause: sizing.cause };
  const resizes = sizing.kind === 'resize';
  if (upgrade === 'now') {
    const waitMs = waitFor('ImageChanged', pod, nowMs);
    return waitMs > 0 ? { waitMs, resizes } : { cause: 'ImageChanged' };
  }
  if (upgrade !== 'none') return { waitMs: UPGRADE_LOOK_MS, resizes };
  return sizing.kind === 'none' ? {} : { waitMs: sizing.lookMs, resizes };
}

function whileAwake(observed: Observed, nowMs: number): CycleStep {
  const { agent, pod, seat, nextCycle } = observed;
  const stays = { cycle: agent.status.cycle ?? 0, power: 'Awake', pod } as const;
  // The operator ends no pod if it cannot create the next one.
  if (!isGranted(observed) || !seat.granted) return stays;
  const { cause, waitMs = 0, resizes = false } = changeOf(observed, nowMs);
  if (waitMs > 0) return { ...stays, waitMs, resizes };
  return cause === undefined ? { ...stays, resizes } : { cycle: nextCycle, power: 'Awake', cause };
}

/** Decides the next cycle. A new cycle begins at each awakening, suspension, reboot and end of the pod, once for each request. */
export function cycleStep(observed: Observed, nowMs: number): CycleStep {
  const { agent, pod, nextCycle } = observed;
  const cycle = agent.status.cycle ?? 0;
  const { power, cause } = powerOf(observed);
  if (power !== (agent.status.power ?? 'Asleep'))
    return { cycle: power === 'Awake' ? nextCycle : cycle + 1, power, cause };
  return power === 'Asleep' ? { cycle, power, pod } : whileAwake(observed, nowMs);
}
