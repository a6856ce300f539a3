import { isClaimUsable, isTerminating } from '../child/claim.ts';
import type { Admission, Verdict } from './verdict.ts';
import { podOfCycle, type ContainerState, type Observed, type PodView } from '../views.ts';

const VOLUME_CONFLICT = 'volume node affinity conflict';
/** Reasons of a waiting container that mean its image. */
const IMAGE_REASONS: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError']);
/** Reasons that every start goes through. */
const STARTING_REASONS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

const no = (reason: Verdict['reason'], message: string): Verdict => ({ status: 'False', reason, message });

/** The scheduler says that the volume lies where the pod cannot go. */
export function isUnschedulableByVolume(pod: PodView): boolean {
  return pod.scheduled?.status === 'False' && pod.scheduled.message.includes(VOLUME_CONFLICT);
}

/** Why there is no pod to look at, in the words of what comes before it. */
function withoutPod(observed: Observed, { granted }: Admission): Verdict {
  if (observed.agent.spec?.power === 'Asleep') return no('Asleep', 'spec.power is Asleep: write Awake to let the agent run');
  if (isTerminating(observed.agent)) return no('Terminating', 'the Agent is being deleted');
  if (!granted) return no('Waiting', 'waits for Accepted, Entitled and Admitted');
  if (observed.refusal !== undefined) return no('PodRefused', `the API server refuses: ${observed.refusal}`);
  if (!isClaimUsable(observed.claim, observed)) return no('Waiting', `the volume claim ${observed.claim?.metadata.name ?? ''} of an earlier life is being deleted`);
  return no('PodPending', 'the pod is about to be made');
}

/** `PodScheduled`, copied from the pod where the scheduler has spoken. */
export function scheduledVerdict(observed: Observed, admission: Admission): Verdict {
  const pod = podOfCycle(observed, observed.agent.status.cycle ?? 0);
  if (pod === undefined) return withoutPod(observed, admission);
  if (pod.nodeName !== undefined) return { status: 'True', reason: 'Scheduled', message: `pod ${pod.metadata.name} on node ${pod.nodeName}` };
  if (pod.scheduled === undefined) return no('PodPending', `pod ${pod.metadata.name} waits for the scheduler`);
  const { reason, message } = pod.scheduled;
  if (isUnschedulableByVolume(pod)) {
    const where = observed.volumeNode === undefined ? 'a node' : `node ${observed.volumeNode.name}`;
    return no('VolumePinned', `the volume lies on ${where}, which cannot take pod ${pod.metadata.name}: ${message}`);
  }
  return no(reason, `pod ${pod.metadata.name}: ${message}`);
}

function containerVerdict(container: ContainerState): Verdict | undefined {
  const { waitingReason, waitingMessage, lastEnd } = container;
  if (waitingReason === undefined) return undefined;
  const detail = waitingMessage === undefined ? waitingReason : `${waitingReason}: ${waitingMessage}`;
  if (IMAGE_REASONS.has(waitingReason)) return no('ImageUnavailable', detail);
  if (waitingReason === 'CrashLoopBackOff') return no('CrashLooping', `the resident ended ${container.restarts} times, last: ${lastEnd ?? 'unknown'}; read its log with kubectl logs`);
  return STARTING_REASONS.has(waitingReason) ? no('Starting', 'the container is starting') : no('ContainerWaiting', detail);
}

function unconnectedVerdict(observed: Observed, pod: PodView): Verdict {
  if (observed.node?.ready === false) return no('NodeLost', `node ${observed.node.name} does not answer`);
  const waiting = pod.container === undefined ? undefined : containerVerdict(pod.container);
  if (waiting !== undefined) return waiting;
  if (pod.container?.running !== true) return no('Starting', pod.message ?? 'the container is starting');
  if (!observed.apiReachable) return { status: 'Unknown', reason: 'ApiUnreachable', message: 'the operator does not hear from the api' };
  const predecessor = observed.pods.find((other) => other !== pod && isTerminating(other));
  if (predecessor !== undefined) return no('WaitingForPredecessor', `pod ${predecessor.metadata.name} is ending and still holds the volume`);
  return no('NotConnected', `the resident in pod ${pod.metadata.name} runs and has not reached the api yet`);
}

/** What the api said last of this life and cycle. It is kept while the api is away. */
function holdsSession({ agent, presence, node }: Observed, cycle: number): boolean {
  return presence?.connected === true && presence.uid === agent.metadata.uid && presence.cycle === cycle && node?.ready !== false;
}

/** `Connected`: the session, or how far the pod has come towards one. */
export function connectedVerdict(observed: Observed, scheduled: Verdict): Verdict {
  const cycle = observed.agent.status.cycle ?? 0;
  const pod = podOfCycle(observed, cycle);
  if (scheduled.reason === 'Asleep') return scheduled;
  if (pod === undefined || scheduled.status !== 'True') return no('Waiting', 'waits for PodScheduled');
  if (holdsSession(observed, cycle)) return { status: 'True', reason: 'Connected', message: `the resident holds a session of cycle ${cycle}` };
  return unconnectedVerdict(observed, pod);
}
