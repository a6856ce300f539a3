import type { EventReason, Reason } from '@hamlet/contract/kinds';
import { isTerminating } from '../child/claim.ts';
import { podName, type Observed, type PodView } from '../views.ts';

/** How a pod ended that nobody here ended. */
export type EndOfPod = Extract<EventReason, 'PodLost' | 'PodDeleted' | 'PodFailed' | 'NameTaken' | 'Preempted' | 'Evicted' | 'NodeDrained' | 'NodePressure'> | Extract<Reason, 'NodeLost'>;

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

/** What ends the cycle from below: its pod is gone, going or dead. */
export function endOfPod(observed: Observed, pod: PodView | undefined): EndOfPod | undefined {
  const { metadata, status } = observed.agent;
  if (pod === undefined) {
    if (status.podName === podName(metadata, status.cycle ?? 0)) return 'PodLost';
    return observed.nameTaken ? 'NameTaken' : undefined;
  }
  if (isTerminating(pod)) return disruptionOf(observed, pod) ?? 'PodDeleted';
  if (pod.phase !== 'Failed' && pod.phase !== 'Succeeded') return undefined;
  return disruptionOf(observed, pod) ?? 'PodFailed';
}
