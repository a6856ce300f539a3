import { isLiving, type ContainerState } from '../../../objects/pod-view.ts';
import { no, yes, type ConditionResult } from '../../../status/condition.ts';
import type { Observed } from '../observe.ts';
import { IMAGE_REASONS, STARTING_REASONS } from './pod-conditions.ts';

type EndReason = 'HandsOutOfMemory' | 'HandsCrashLooping' | 'HandsRestarted';

function ended({ restarts, lastEnd }: ContainerState, next: string): string {
  return `the hands ended, last: ${lastEnd ?? 'unknown'}; restarts: ${restarts}; ${next}`;
}

/** The reason for the last end: memory explains more than the loop or the restart that follows. */
function endReason({ outOfMemory, waitingReason }: ContainerState): EndReason {
  if (outOfMemory) return 'HandsOutOfMemory';
  return waitingReason === 'CrashLoopBackOff' ? 'HandsCrashLooping' : 'HandsRestarted';
}

/** Hands that wait to be started. */
function whileWaiting(hands: ContainerState, waitingReason: string): ConditionResult {
  const { waitingMessage } = hands;
  if (STARTING_REASONS.has(waitingReason)) return no('Starting', 'the hands are starting');
  if (waitingReason === 'CrashLoopBackOff')
    return no(endReason(hands), ended(hands, 'the node waits before it starts them again'));
  const detail = `the hands: ${waitingReason}${waitingMessage === undefined ? '' : `: ${waitingMessage}`}`;
  return no(IMAGE_REASONS.has(waitingReason) ? 'ImageUnavailable' : 'ContainerWaiting', detail);
}

function ofContainer(hands: ContainerState, pod: string): ConditionResult {
  const { running, waitingReason, restarts, lastEnd } = hands;
  if (waitingReason !== undefined) return whileWaiting(hands, waitingReason);
  if (!running && lastEnd === undefined) return no('Starting', 'the hands are starting');
  if (!running) return no(endReason(hands), ended(hands, 'the node is about to start them again'));
  return restarts === 0
    ? yes('HandsRunning', `the hands run in pod ${pod}`)
    : yes(endReason(hands), ended(hands, 'they run again'));
}

/**
 * `HandsReady`: whether tools can start. It stands beside the chain, because an agent without its hands is connected
 * and answers.
 * @param scheduled the condition PodScheduled
 */
export function handsReadyResult({ pod, node }: Observed, scheduled: ConditionResult): ConditionResult {
  if (scheduled.reason === 'Asleep') return scheduled;
  if (pod === undefined || scheduled.status !== 'True') return no('Waiting', 'waits for PodScheduled');
  const { name } = pod.metadata;
  if (pod.hands === undefined || pod.hands === '') return yes('NoHands', `pod ${name} has no container for hands`);
  // The hands of a pod that ends also end: that is no trouble.
  if (!isLiving(pod)) return no('Waiting', `pod ${name} is ending`);
  if (node?.ready === false)
    return { status: 'Unknown', reason: 'Waiting', message: `node ${node.name} does not answer` };
  return pod.handsContainer === undefined
    ? no('Starting', `the node has not started the hands of pod ${name} yet`)
    : ofContainer(pod.handsContainer, name);
}
