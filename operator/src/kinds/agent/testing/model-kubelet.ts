/** The scheduler and the kubelets of a cluster in memory, which change pods as time passes. */
import type { VolumeClaimView } from '../../../objects/cached-objects.ts';
import type { PodView } from '../../../objects/pod-view.ts';
import { container } from './sample-state.ts';

export type ResizeMood = 'applies' | 'hangs' | 'defers' | 'refuses' | 'forbidden' | 'quota';
export type SchedulerMood = 'binds' | 'holds' | 'gates';

const HELD = { status: 'False', reason: 'Unschedulable', message: '0/2 nodes are available: 2 Insufficient cpu.' };
const GATED = {
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};
const PINNED = {
  status: 'False',
  reason: 'Unschedulable',
  message: '0/2 nodes are available: 1 node(s) had volume node affinity conflict',
};
const RUNS = container({ running: true });

export interface Surroundings {
  readonly nowMs: number;
  readonly claim: VolumeClaimView | undefined;
  readonly lostNode: string | undefined;
  readonly resizes: ResizeMood;
  readonly scheduler: SchedulerMood;
}

/** True if a deleted pod has ended. A lost node does not report the end of its pods. */
export function hasEnded({ metadata, nodeName }: PodView, { nowMs, lostNode }: Surroundings): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  return nodeName === undefined || (nodeName !== lostNode && Date.parse(metadata.deletionTimestamp) + 10_000 <= nowMs);
}

export function lives(pod: PodView, around: Surroundings): PodView {
  if (pod.metadata.deletionTimestamp !== undefined || pod.phase === 'Failed' || around.claim === undefined) return pod;
  if (pod.nodeName === undefined) return scheduled(pod, around);
  if (pod.nodeName === around.lostNode) return pod;
  if (pod.phase === 'Pending')
    return { ...pod, phase: 'Running', container: RUNS, handsContainer: RUNS, given: pod.size };
  return resized(pod, around.resizes);
}

function scheduled(pod: PodView, { claim, lostNode, scheduler }: Surroundings): PodView {
  if (scheduler !== 'binds') return { ...pod, scheduled: scheduler === 'gates' ? GATED : HELD };
  const pinned = claim?.metadata.annotations?.['volume.kubernetes.io/selected-node'];
  if (pinned !== undefined && pinned === lostNode) return { ...pod, scheduled: PINNED };
  const nodeName = pinned ?? (lostNode === 'sparky1' ? 'sparky2' : 'sparky1');
  return { ...pod, nodeName, scheduled: { status: 'True', reason: '', message: '' } };
}

function resized(pod: PodView, mood: ResizeMood): PodView {
  if (pod.given === pod.size) return pod;
  if (mood === 'applies') return { ...pod, given: pod.size, resize: undefined };
  if (mood === 'defers')
    return { ...pod, resize: { type: 'PodResizePending', reason: 'Deferred', message: 'no room' } };
  return mood === 'refuses'
    ? { ...pod, resize: { type: 'PodResizePending', reason: 'Infeasible', message: 'never' } }
    : pod;
}
