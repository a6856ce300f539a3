import { claimTaken, isClaimUsable, isOurClaim, isTerminating } from '../child/claim.ts';
import { standingOf } from './standing.ts';
import type { Admission, Verdict } from './verdict.ts';
import {
  podOfCycle,
  SEAT_ANNOTATION,
  type ContainerState,
  type NodeState,
  type Observed,
  type PodView,
} from '../views.ts';

/** The scheduler's words for a volume that lies elsewhere; since Kubernetes 1.36 the second. */
const VOLUME_CONFLICT = /volume node affinity conflict|didn't match PersistentVolume's node affinity/;
/** Reasons of a waiting container that mean its image. */
const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
]);
/** Reasons that every start goes through. */
const STARTING_REASONS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

const no = (reason: Verdict['reason'], message: string): Verdict => ({ status: 'False', reason, message });

/** What a node that the pod depends on lacks, in words. */
function flawOf(node: NodeState | undefined): string | undefined {
  if (node === undefined || node.exists === false) return undefined;
  if (!node.ready) return 'does not answer';
  return node.cordoned === true ? 'is cordoned' : undefined;
}

/**
 * The volume lies where the pod cannot go: the scheduler says so, or the pod is held to the node of its volume, which takes no pods. Then the
 * scheduler names only the affinity.
 */
export function isUnschedulableByVolume(pod: PodView, volumeNode: NodeState | undefined): boolean {
  if (pod.scheduled?.status !== 'False') return false;
  const isHeldToVolume = volumeNode !== undefined && pod.metadata.annotations?.[SEAT_ANNOTATION] === volumeNode.name;
  return VOLUME_CONFLICT.test(pod.scheduled.message) || (isHeldToVolume && flawOf(volumeNode) !== undefined);
}

/** Why the volume claim keeps a pod from being made. */
function claimVerdict(observed: Observed): Verdict | undefined {
  const { claim, agent } = observed;
  if (claim === undefined || isClaimUsable(claim, observed)) return undefined;
  const { name } = claim.metadata;
  if (!isOurClaim(claim, agent.metadata.name)) return no('VolumeTaken', claimTaken(name, agent.metadata.name));
  return no('Waiting', `the volume claim ${name} of an earlier life is being deleted`);
}

/** Why there is no pod to look at, in the words of what comes before it. */
function withoutPod(observed: Observed, { granted }: Admission): Verdict {
  if (observed.agent.spec?.power === 'Asleep')
    return no('Asleep', 'spec.power is Asleep: write Awake to let the agent run');
  if (isTerminating(observed.agent)) return no('Terminating', 'the Agent is being deleted');
  if (!granted) return no('Waiting', 'waits for Accepted, Entitled and Admitted');
  if (observed.refusal !== undefined) return no(observed.refusal.reason, observed.refusal.message);
  return claimVerdict(observed) ?? no('PodPending', 'the pod is about to be made');
}

/** What stands behind the words of the scheduler, where it is the one node that the agent depends on. */
function byNode({ volumeNode, pinnedNode }: Observed, pod: PodView): Verdict | undefined {
  const { message = '' } = pod.scheduled ?? {};
  if (isUnschedulableByVolume(pod, volumeNode)) {
    const flaw = flawOf(volumeNode);
    const where = volumeNode === undefined ? 'a node' : `node ${volumeNode.name}`;
    return no(
      'VolumePinned',
      `the volume lies on ${where}, which ${flaw ?? 'cannot take the pod'}: pod ${pod.metadata.name} waits: ${message}`,
    );
  }
  const flaw = flawOf(pinnedNode);
  if (pinnedNode === undefined || flaw === undefined) return undefined;
  return no(
    pinnedNode.ready ? 'NodeCordoned' : 'NodeLost',
    `spec.placement.nodeName is ${pinnedNode.name}, which ${flaw}: pod ${pod.metadata.name} waits: ${message}`,
  );
}

/** `PodScheduled`, copied from the pod where the scheduler has spoken. */
export function scheduledVerdict(observed: Observed, admission: Admission): Verdict {
  const pod = podOfCycle(observed, observed.agent.status.cycle ?? 0);
  if (pod === undefined) return withoutPod(observed, admission);
  if (pod.nodeName !== undefined)
    return { status: 'True', reason: 'Scheduled', message: `pod ${pod.metadata.name} on node ${pod.nodeName}` };
  if (pod.scheduled === undefined) return no('PodPending', `pod ${pod.metadata.name} waits for the scheduler`);
  const { reason, message } = pod.scheduled;
  return byNode(observed, pod) ?? no(reason, `pod ${pod.metadata.name}: ${message}`);
}

function containerVerdict(container: ContainerState): Verdict | undefined {
  const { waitingReason, waitingMessage, lastEnd } = container;
  if (waitingReason === undefined) return undefined;
  const detail = waitingMessage === undefined ? waitingReason : `${waitingReason}: ${waitingMessage}`;
  if (IMAGE_REASONS.has(waitingReason)) return no('ImageUnavailable', detail);
  if (waitingReason === 'CrashLoopBackOff')
    return no(
      'CrashLooping',
      `the resident ended ${container.restarts} times, last: ${lastEnd ?? 'unknown'}; read its log with kubectl logs`,
    );
  return STARTING_REASONS.has(waitingReason)
    ? no('Starting', 'the container is starting')
    : no('ContainerWaiting', detail);
}

/** The container of a pod waits for something that does not come by itself. */
export function isInTrouble({ container }: PodView): boolean {
  return container?.waitingReason !== undefined && !STARTING_REASONS.has(container.waitingReason);
}

/** The container runs; what keeps it from a session. */
function silentVerdict(observed: Observed, pod: PodView): Verdict {
  if (observed.knowledge !== 'Current')
    return { status: 'Unknown', reason: 'ApiUnreachable', message: 'the operator does not hear from the api' };
  const predecessor = observed.pods.find((other) => other !== pod && isTerminating(other));
  if (predecessor !== undefined)
    return no('WaitingForPredecessor', `pod ${predecessor.metadata.name} is ending and still holds the volume`);
  return no('NotConnected', `the resident in pod ${pod.metadata.name} runs and has not reached the api yet`);
}

function unconnectedVerdict(observed: Observed, pod: PodView): Verdict {
  if (observed.node?.ready === false)
    return no(
      'NodeLost',
      `node ${observed.node.name} does not answer${isTerminating(pod) ? ', and its pod is given up' : ''}`,
    );
  const waiting = pod.container === undefined ? undefined : containerVerdict(pod.container);
  if (waiting !== undefined) return waiting;
  return pod.container?.running === true
    ? silentVerdict(observed, pod)
    : no('Starting', pod.message ?? 'the container is starting');
}

/** What the api said last of this life and cycle. It is kept while the api is away. */
function holdsSession({ agent, presence, node }: Observed, cycle: number): boolean {
  return (
    presence?.connected === true &&
    presence.uid === agent.metadata.uid &&
    presence.cycle === cycle &&
    node?.ready !== false
  );
}

function revocation(observed: Observed): string {
  const { reason } = standingOf(observed);
  return `an admin has revoked the tokens of the agent: the api refuses it until that is lifted${reason === undefined ? '' : `; the reason given: ${reason}`}`;
}

/** `Connected`: the session, or how far the pod has come towards one. */
export function connectedVerdict(observed: Observed, scheduled: Verdict): Verdict {
  const cycle = observed.agent.status.cycle ?? 0;
  const pod = podOfCycle(observed, cycle);
  if (scheduled.reason === 'Asleep') return scheduled;
  if (pod === undefined || scheduled.status !== 'True') return no('Waiting', 'waits for PodScheduled');
  if (standingOf(observed).tokenRevoked) return no('TokenRevoked', revocation(observed));
  if (holdsSession(observed, cycle))
    return { status: 'True', reason: 'Connected', message: `the resident holds a session of cycle ${cycle}` };
  return unconnectedVerdict(observed, pod);
}
