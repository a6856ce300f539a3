import type { EventReason, Reason } from '@hamlet/contract/kinds';
import { isTerminating } from '../child/claim.ts';
import { podName, type Observed, type PodView } from '../views.ts';

/** How a pod ended that nobody here ended. */
export type EndOfPod =
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

/** The reasons of a pod's condition DisruptionTarget. */
const DISRUPTIONS: Readonly<Record<string, EndOfPod>> = {
  PreemptionByScheduler: 'Preempted',
  EvictionByEvictionAPI: 'Evicted',
  DeletionByTaintManager: 'Evicted',
  TerminationByKubelet: 'NodePressure',
  DeletionByPodGC: 'NodeLost',
};

/** What told the pod to go, where it was told. */
function disruptionOf({ node }: Observed, pod: PodView): EndOfPod | undefined {
  if (node?.ready === false) return 'NodeLost';
  const end = pod.disruption === undefined ? undefined : DISRUPTIONS[pod.disruption];
  return end === 'Evicted' && node?.cordoned === true ? 'NodeDrained' : end;
}

/** A pod that may get one node only, and waits for the scheduler, is given up when its seat is on another now: its node has failed, or is full. */
function seatMoved({ seatNode, seat }: Observed, { nodeName }: PodView): EndOfPod | undefined {
  const isMoved = seat.reason === undefined && seat.node !== undefined && seat.node !== seatNode?.name;
  if (nodeName !== undefined || seatNode === undefined || !isMoved) return undefined;
  if (!seatNode.ready) return 'NodeLost';
  return seatNode.cordoned === true ? 'NodeDrained' : 'SeatMoved';
}

/** How the pod of a cycle ended, or has to end. */
function endOfLiving(observed: Observed, pod: PodView): EndOfPod | undefined {
  if (isTerminating(pod)) return disruptionOf(observed, pod) ?? 'PodDeleted';
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') return disruptionOf(observed, pod) ?? 'PodFailed';
  return seatMoved(observed, pod);
}

/** What ends the cycle from below: its pod is gone, going or dead. */
export function endOfPod(observed: Observed, pod: PodView | undefined): EndOfPod | undefined {
  const { metadata, status } = observed.agent;
  if (pod === undefined) {
    if (status.podName === podName(metadata, status.cycle ?? 0)) return 'PodLost';
    return observed.nameTaken ? 'NameTaken' : undefined;
  }
  return endOfLiving(observed, pod);
}
