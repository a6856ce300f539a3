import type { AgentStatus, EventReason, Power, Reason } from '@hamlet/contract/kinds';
import type { Admission } from './condition/verdict.ts';
import { barOf, type Bar } from './condition/standing.ts';
import { endOfPod, type EndOfPod } from './pod/pod-end.ts';
import { sizingOf } from './pod/sizing.ts';
import { podOfCycle, REBOOTED_ANNOTATION, type AgentView, type Observed, type PodView } from './views.ts';

/** A pod that failed, or is of an older image, is not replaced sooner than this after it was made. */
export const REPLACE_AFTER_MS = 10_000;

/** An agent that waits for its turn to be made anew looks this often whether it has come. */
export const UPGRADE_LOOK_MS = 5_000;

/** Why a cycle begins. */
export type CycleCause =
  | Bar
  | EndOfPod
  | Extract<
      EventReason,
      'Awakened' | 'Suspended' | 'Rebooted' | 'ImageChanged' | 'TierChanged' | 'GpuWindow' | 'ResizeTimedOut'
    >
  | Extract<Reason, 'Displaced' | 'NotPaid' | 'HoldRefused' | 'ResizeRefused'>;

/** Where the run cycle goes. */
export interface CycleStep {
  /** The cycle that holds after this step. */
  readonly cycle: number;
  /** Awake where a pod of the cycle shall exist. */
  readonly power: Power;
  /** Set where `cycle` is a new one. */
  readonly cause?: CycleCause;
  /** Set where there may be something to do later although nothing changes. */
  readonly waitMs?: number;
}

/** The cycle that a pod's name carries; 0 for a name that is none of ours. */
export function cycleInName(agent: string, pod: string): number {
  const digits = pod.startsWith(`${agent}-`) ? pod.slice(agent.length + 1) : '';
  return /^[1-9][0-9]{0,15}$/.test(digits) ? Number(digits) : 0;
}

/**
 * The status as the pods prove it. A pod of this life named NAME-CYCLE is what begins a cycle; the status that tells of
 * it is written after, and may have been lost with the process that made the pod.
 * @param ended a cycle whose pod was seen to go before the status told of it
 */
export function livedStatus({ metadata, status }: AgentView, pods: readonly PodView[], ended = 0): AgentStatus {
  let newest: PodView | undefined;
  let cycle = Math.max(status.cycle ?? 0, ended);
  for (const pod of pods) {
    const its = cycleInName(metadata.name, pod.metadata.name);
    if (its > cycle) [newest, cycle] = [pod, its];
  }
  if (newest === undefined)
    return ended > (status.cycle ?? 0)
      ? { ...status, cycle, power: 'Awake', podName: `${metadata.name}-${ended}` }
      : status;
  const { nodeName: _node, rebootedAt: _before, ...kept } = status;
  const rebootedAt = newest.metadata.annotations?.[REBOOTED_ANNOTATION];
  return {
    ...kept,
    cycle,
    power: 'Awake',
    podName: newest.metadata.name,
    ...(rebootedAt === undefined ? {} : { rebootedAt }),
  };
}

/** Reasons of Admitted that end a pod which runs. */
const UNPAID = ['NotPaid', 'HoldRefused'] as const;

interface Wish {
  readonly power: Power;
  /** What this power begins with, where it is another than before. */
  readonly cause: CycleCause;
}

/**
 * The power that counts: what the spec says, if the agent may run. A pod that runs already is kept when only its tier
 * cannot be found any more: deleting an Entitlement by mistake shall not stop a village.
 */
function wishOf(observed: Observed, { granted, admitted }: Admission): Wish {
  const { spec, status } = observed.agent;
  const bar = barOf(observed);
  if (spec?.power === 'Asleep') return { power: 'Asleep', cause: bar === 'Killed' ? bar : 'Suspended' };
  if (bar !== undefined) return { power: 'Asleep', cause: bar };
  if (granted) return { power: 'Awake', cause: 'Awakened' };
  const unpaid = UNPAID.find((reason) => reason === admitted.reason);
  if (unpaid !== undefined) return { power: 'Asleep', cause: unpaid };
  if (!observed.seat.granted && observed.seat.reason === 'Displaced') return { power: 'Asleep', cause: 'Displaced' };
  return { power: status.power ?? 'Asleep', cause: 'Suspended' };
}

/** Causes that can come back with the next pod: a node under pressure, what ended the pod by itself, somebody who changes what a pod says of itself. */
const RECURRING: ReadonlySet<CycleCause> = new Set(['PodFailed', 'NodePressure', 'ImageChanged']);

/** Waits before the replacement that `cause` asks for, in milliseconds; none if negative. */
function waitFor(cause: CycleCause, pod: PodView | undefined, nowMs: number): number {
  if (!RECURRING.has(cause)) return 0;
  return Date.parse(pod?.metadata.creationTimestamp ?? '') + REPLACE_AFTER_MS - nowMs;
}

interface Change {
  readonly cause?: CycleCause;
  readonly waitMs?: number;
}

function changeOf(observed: Observed, { tier }: Admission, nowMs: number): Change {
  const { spec, status } = observed.agent;
  const pod = podOfCycle(observed, status.cycle ?? 0);
  if (spec?.rebootedAt !== undefined && spec.rebootedAt !== status.rebootedAt) return { cause: 'Rebooted' };
  const end = endOfPod(observed, pod);
  if (end !== undefined) return { cause: end, waitMs: waitFor(end, pod, nowMs) };
  const sizing = sizingOf(observed, { pod, tier }, nowMs);
  if (sizing.kind === 'replace') return { cause: sizing.cause };
  if (observed.upgrade === 'now') return { cause: 'ImageChanged', waitMs: waitFor('ImageChanged', pod, nowMs) };
  if (observed.upgrade !== 'none') return { waitMs: UPGRADE_LOOK_MS };
  return sizing.kind === 'none' ? {} : { waitMs: sizing.lookMs };
}

function whileAwake(observed: Observed, admission: Admission, nowMs: number): CycleStep {
  const cycle = observed.agent.status.cycle ?? 0;
  const stays = { cycle, power: 'Awake' } as const;
  // What cannot be made now is not ended either.
  if (!admission.granted || !observed.seat.granted) return stays;
  const { cause, waitMs = 0 } = changeOf(observed, admission, nowMs);
  if (waitMs > 0) return { ...stays, waitMs };
  return cause === undefined ? stays : { cycle: observed.nextCycle, power: 'Awake', cause };
}

/**
 * Decides the run cycle. It grows at each awakening, suspension and reboot, and whenever the cycle's pod has ended;
 * never because of the same wish twice.
 */
export function cycleStep(observed: Observed, admission: Admission, nowMs: number): CycleStep {
  const { status } = observed.agent;
  const cycle = status.cycle ?? 0;
  const { power, cause } = wishOf(observed, admission);
  const before = status.power ?? 'Asleep';
  if (power === before) return power === 'Asleep' ? { cycle, power } : whileAwake(observed, admission, nowMs);
  return power === 'Awake' ? { cycle: observed.nextCycle, power, cause } : { cycle: cycle + 1, power, cause };
}
