import { seatSentence } from '@hamlet/core/seats';
import { isTerminating, type TierView } from '../../../objects/cached-objects.ts';
import { SEAT_ANNOTATION } from '../../../objects/names.ts';
import { type ContainerState, isResizing, type PodView } from '../../../objects/pod-view.ts';
import { isSameSize, sizeOf } from '../../../objects/tier-compute.ts';
import { no, yes, type ConditionResult } from '../../../status/condition.ts';
import type { FactsWithPod, NodeState } from '../facts.ts';
import type { Observed } from '../observe.ts';
import { claimTaken, isClaimUsable, isOurClaim } from '../volume-claim.ts';
import { hasSeatOfTier, needsReplacement } from './sizing.ts';
import { standingOf, withReason } from './standing.ts';
import { FAILURES_MAX, TURN_MS } from '../upgrade-turn.ts';

/** The scheduler's messages for a volume on another node. Kubernetes 1.36 and newer write the second text. */
const VOLUME_CONFLICT = /volume node affinity conflict|didn't match PersistentVolume's node affinity/;
export const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
]);
export const STARTING_REASONS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

export const ASLEEP: ConditionResult = no('Asleep', 'spec.power is Asleep: write Awake to let the agent run');

function faultOf(node: NodeState | undefined): string | undefined {
  if (node === undefined || node.exists === false) return undefined;
  if (!node.ready) return 'does not answer';
  return node.cordoned === true ? 'is cordoned' : undefined;
}

/**
 * True if the volume prevents the pod from starting on its node: the scheduler says so, or the volume's node, to which the seat
 * binds the pod, does not answer or is cordoned.
 */
export function isUnschedulableByVolume(pod: PodView, volumeNode: NodeState | undefined): boolean {
  if (pod.scheduled?.status !== 'False') return false;
  const isBoundToVolume = volumeNode !== undefined && pod.metadata.annotations?.[SEAT_ANNOTATION] === volumeNode.name;
  return VOLUME_CONFLICT.test(pod.scheduled.message) || (isBoundToVolume && faultOf(volumeNode) !== undefined);
}

function claimProblem({ claim, agent }: FactsWithPod): ConditionResult | undefined {
  if (claim === undefined || isClaimUsable(claim, agent)) return undefined;
  const { name } = claim.metadata;
  return isOurClaim(claim, agent.metadata.name)
    ? no('Waiting', `Kubernetes is deleting the volume claim ${name} of an earlier Agent of the name`)
    : no('VolumeTaken', claimTaken(name, agent.metadata.name));
}

function withoutPod(observed: Observed): ConditionResult {
  const { agent, refusal, admission } = observed;
  if (agent.spec?.power === 'Asleep') return ASLEEP;
  if (isTerminating(agent)) return no('Terminating', 'the Agent is being deleted');
  if (!admission.granted) return no('Waiting', 'waits for Accepted, Entitled and Admitted');
  if (refusal !== undefined) return no(refusal.reason, refusal.message);
  return claimProblem(observed) ?? no('PodPending', 'the operator is about to create the pod');
}

/** The condition for a fault of the node that the pod is bound to. The scheduler's message does not name that fault. */
function nodeProblem({ volumeNode, pinnedNode }: FactsWithPod, pod: PodView): ConditionResult | undefined {
  const waits = `pod ${pod.metadata.name} waits: ${pod.scheduled?.message ?? ''}`;
  if (isUnschedulableByVolume(pod, volumeNode)) {
    const where = volumeNode === undefined ? 'a node' : `node ${volumeNode.name}`;
    return no(
      'VolumePinned',
      `the volume is on ${where}, which ${faultOf(volumeNode) ?? 'cannot take the pod'}: ${waits}`,
    );
  }
  const fault = faultOf(pinnedNode);
  if (pinnedNode === undefined || fault === undefined) return undefined;
  const reason = pinnedNode.ready ? 'NodeCordoned' : 'NodeLost';
  return no(reason, `spec.placement.nodeName is ${pinnedNode.name}, which ${fault}: ${waits}`);
}

export function scheduledResult(observed: Observed): ConditionResult {
  const { pod } = observed;
  if (pod === undefined) return withoutPod(observed);
  const { name } = pod.metadata;
  if (pod.nodeName !== undefined) return yes('Scheduled', `pod ${name} is on node ${pod.nodeName}`);
  if (pod.scheduled === undefined) return no('PodPending', `pod ${name} waits for the scheduler`);
  return nodeProblem(observed, pod) ?? no(pod.scheduled.reason, `pod ${name}: ${pod.scheduled.message}`);
}

function containerProblem(container: ContainerState): ConditionResult | undefined {
  const { waitingReason, waitingMessage, restarts, lastEnd } = container;
  if (waitingReason === undefined) return undefined;
  const detail = waitingMessage === undefined ? waitingReason : `${waitingReason}: ${waitingMessage}`;
  if (IMAGE_REASONS.has(waitingReason)) return no('ImageUnavailable', detail);
  if (waitingReason === 'CrashLoopBackOff')
    return no(
      'CrashLooping',
      `the resident ended ${restarts} times, last: ${lastEnd ?? 'unknown'}; read its log with kubectl logs`,
    );
  return STARTING_REASONS.has(waitingReason)
    ? no('Starting', 'the container is starting')
    : no('ContainerWaiting', detail);
}

/** True if a container waits for a repair, such as an image that cannot be pulled. */
export function isInTrouble({ container, handsContainer }: PodView): boolean {
  return [container, handsContainer].some(
    (each) => each?.waitingReason !== undefined && !STARTING_REASONS.has(each.waitingReason),
  );
}

function withoutSession({ apiState, pods }: FactsWithPod, pod: PodView): ConditionResult {
  if (apiState !== 'Current')
    return {
      status: 'Unknown',
      reason: 'ApiUnreachable',
      message: 'the api does not answer: the operator cannot see whether the resident is connected',
    };
  const predecessor = pods.find((other) => other !== pod && isTerminating(other));
  if (predecessor !== undefined)
    return no('WaitingForPredecessor', `pod ${predecessor.metadata.name} is ending and still holds the volume`);
  return no('NotConnected', `the resident in pod ${pod.metadata.name} runs and has not reached the api yet`);
}

function unconnected(facts: FactsWithPod, pod: PodView): ConditionResult {
  const { node } = facts;
  if (node?.ready === false) {
    const end = isTerminating(pod) ? ', and Kubernetes has given up its pod' : '';
    return no('NodeLost', `node ${node.name} does not answer${end}`);
  }
  const waiting = pod.container === undefined ? undefined : containerProblem(pod.container);
  if (waiting !== undefined) return waiting;
  return pod.container?.running === true
    ? withoutSession(facts, pod)
    : no('Starting', pod.message ?? 'the container is starting');
}

/** True if the resident of this Agent object has a session in the current cycle, by the api's last report. */
function hasSession({ agent: { metadata, status }, presence, node }: FactsWithPod): boolean {
  return (
    presence?.connected === true &&
    presence.uid === metadata.uid &&
    presence.cycle === (status.cycle ?? 0) &&
    node?.ready !== false
  );
}

const REVOKED =
  'an admin has revoked the tokens of the agent: the api refuses its requests until an admin lifts this measure';

export function connectedResult(observed: Observed, scheduled: ConditionResult): ConditionResult {
  const { pod, agent } = observed;
  if (scheduled.reason === 'Asleep') return scheduled;
  if (pod === undefined || scheduled.status !== 'True') return no('Waiting', 'waits for PodScheduled');
  if (standingOf(observed).token_revoked) return no('TokenRevoked', withReason(observed, REVOKED));
  const message = `the resident has a session of cycle ${agent.status.cycle ?? 0}`;
  return hasSession(observed) ? yes('Connected', message) : unconnected(observed, pod);
}

function whileResizing({ resize }: PodView, name: string): ConditionResult {
  const words = resize?.message === undefined || resize.message === '' ? '' : `: ${resize.message}`;
  if (resize?.reason === 'Infeasible')
    return no('ResizeRefused', `the node can never give pod ${name} the compute of its tier${words}`);
  if (resize?.reason === 'Deferred')
    return no('ResizeDeferred', `the node has no room for the larger pod ${name} now${words}`);
  return no('Resizing', `the node is resizing pod ${name} to its tier${words}`);
}

function misfit(facts: FactsWithPod, pod: PodView, tier: TierView): ConditionResult | undefined {
  const { name } = pod.metadata;
  const { seat, resize } = facts;
  const isOther = needsReplacement(pod, tier);
  if (!isOther && pod.size !== undefined && isSameSize(pod.size, sizeOf(tier))) return undefined;
  if (!hasSeatOfTier(facts))
    return no(seat.reason ?? 'SeatPending', `pod ${name} stays unchanged: ${seatSentence(seat)}`);
  if (isOther)
    return no(
      'ReplacementPending',
      `the operator replaces pod ${name} for the GPU and the priority of tier ${tier.metadata.name}`,
    );
  return resize?.refusal === undefined
    ? no('Resizing', `the operator is about to resize pod ${name}`)
    : no('ResizeRefused', `the API server refuses to resize pod ${name}: ${resize.refusal.message}`);
}

export function resizedResult(observed: Observed): ConditionResult {
  const { pod, admission } = observed;
  const { tier } = admission;
  if (pod?.size === undefined || tier === undefined)
    return yes('AsEntitled', 'the agent has no pod to resize, or its tier is unknown');
  const { name } = pod.metadata;
  const lacking = misfit(observed, pod, tier) ?? (isResizing(pod) ? whileResizing(pod, name) : undefined);
  if (lacking !== undefined) return lacking;
  const { cpu, memory } = tier.spec.compute.resources;
  return yes('AsEntitled', `pod ${name} has the compute of tier ${tier.metadata.name}: cpu ${cpu}, memory ${memory}`);
}

/** `UpToDate`: true if the pod has the current image, compute and addresses; otherwise why it has not been replaced yet. */
export function upToDateResult({ pod, refusal, upgrade }: Observed): ConditionResult {
  if (pod !== undefined && refusal !== undefined)
    return no(refusal.reason, `pod ${pod.metadata.name} stays: ${refusal.message}`);
  if (upgrade === 'halted')
    return no(
      'RolloutHalted',
      `${FAILURES_MAX} agents in a row were not ready ${TURN_MS / 1_000} s after they got the new image or compute: all others keep their pods until one of them is ready`,
    );
  if (upgrade !== 'none')
    return no(
      'ReplacementPending',
      'the village has another image, compute or address for agents: the operator replaces the pod when it is its turn',
    );
  return yes('UpToDate', 'the pod has the present image and compute of agents');
}
