import type { Power } from '@hamlet/contract/kinds';
import type { NewObject } from '@hamlet/kube';
import { deletionMs, isClaimUsable, isForeignClaim, isOurClaim, isTerminating } from './child/claim.ts';
import { sizeResources, CONTAINER } from './child/compute.ts';
import { cycleStep, type CycleCause, type CycleStep } from './cycle.ts';
import { claimManifest, ownerOf, podManifest } from './child/manifests.ts';
import { isUnschedulableByVolume } from './condition/pod-verdict.ts';
import { barMessage, barOf } from './condition/standing.ts';
import { isCovered } from './condition/payment.ts';
import { admissionOf, type Admission } from './condition/verdict.ts';
import { holdStep, type HoldAction } from './hold-step.ts';
import { sizingOf } from './pod/sizing.ts';
import { FINALIZER, isLiving, podName, podOfCycle, type ClaimView, type Observed, type PodView } from './views.ts';

/** A deletion waits this long for the api to close the account, then goes on without. */
export const CLOSE_ESCAPE_MS = 60_000;

/** One thing to do. They are done in order, and the first that fails ends the attempt. */
export type Action =
  | { readonly kind: 'setFinalizers'; readonly finalizers: readonly string[] }
  /** Ends a cycle without a next pod. A cycle with a pod is begun by its pod, whose name and owner prove it. */
  | { readonly kind: 'endCycle'; readonly cycle: number; readonly power: Power; readonly rebootedAt: string | null }
  | { readonly kind: 'createClaim'; readonly manifest: NewObject }
  | { readonly kind: 'ownClaim'; readonly name: string; readonly uid: string; readonly owners: readonly object[] }
  | { readonly kind: 'deleteClaim'; readonly name: string; readonly uid: string }
  /** Asks the API server whether it would take the pod, before the one that runs is ended for it. */
  | { readonly kind: 'tryPod'; readonly manifest: NewObject }
  | { readonly kind: 'createPod'; readonly manifest: NewObject }
  /** cpu and memory of the pod that runs, by its subresource `resize`; `instead` is the pod that would be made if that is refused. */
  | {
      readonly kind: 'resizePod';
      readonly name: string;
      readonly uid: string;
      readonly spec: object;
      readonly instead: NewObject;
    }
  | { readonly kind: 'deletePod'; readonly name: string; readonly uid: string; readonly graceSeconds?: number }
  | { readonly kind: 'closeAccount' }
  | HoldAction
  | { readonly kind: 'tell'; readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };

/** What to do now, and when to look again although nothing changes. */
export interface Plan {
  readonly actions: readonly Action[];
  readonly requeueAfterMs?: number;
}

interface Story {
  readonly type: 'Normal' | 'Warning';
  readonly text: string;
}

/** What is told of a cycle that begins. What a bar says comes from who set it. */
const STORIES: Readonly<Record<CycleCause, Story>> = {
  Awakened: { type: 'Normal', text: 'awake' },
  Suspended: { type: 'Normal', text: 'asleep: the pod ends, the volume stays' },
  Rebooted: { type: 'Normal', text: 'rebooted as spec.rebootedAt asks' },
  PodLost: { type: 'Warning', text: 'the pod is gone and is made anew' },
  PodDeleted: { type: 'Warning', text: 'somebody deleted the pod: it is made anew' },
  PodFailed: { type: 'Warning', text: 'the pod has failed and is made anew' },
  Preempted: {
    type: 'Warning',
    text: 'the scheduler needs the place for a pod of a higher priority: the agent waits for another',
  },
  Evicted: { type: 'Warning', text: 'the pod was evicted and is made anew' },
  NodeDrained: { type: 'Normal', text: 'the node is being drained: the pod is made anew elsewhere' },
  NodePressure: { type: 'Warning', text: 'the node ran short or shuts down: the pod is made anew' },
  NodeLost: { type: 'Warning', text: 'the node does not answer and its pod was given up: it is made anew' },
  SeatMoved: {
    type: 'Normal',
    text: 'the node of its seat has no room any more: the pod, which had not begun, is made anew for another node',
  },
  ImageChanged: { type: 'Normal', text: 'the village has another image or compute for agents' },
  NameTaken: { type: 'Warning', text: "another pod has this cycle's name: the next one is taken" },
  TierChanged: { type: 'Normal', text: 'the tier has another GPU or priority: the pod is made anew, the volume stays' },
  GpuWindow: {
    type: 'Normal',
    text: 'a GPU window of the agent begins or ends: the pod is made anew, the volume stays',
  },
  ResizeRefused: {
    type: 'Warning',
    text: 'the pod cannot be resized while it runs: it is made anew with the compute of its tier',
  },
  ResizeTimedOut: {
    type: 'Warning',
    text: 'the node did not resize the pod within 30 s: it is made anew with the compute of its tier',
  },
  Displaced: { type: 'Warning', text: 'an agent of a higher tier needs the seat: the pod ends, the volume stays' },
  NotPaid: { type: 'Warning', text: 'the agent cannot pay for its tier: the pod ends, the volume stays' },
  HoldRefused: { type: 'Warning', text: 'no money is set aside for the agent: the pod ends, the volume stays' },
  Killed: { type: 'Warning', text: 'the pod is killed' },
  Banned: { type: 'Warning', text: 'the pod ends' },
  Quarantined: { type: 'Warning', text: 'the pod ends, the volume stays as it is' },
  Frozen: { type: 'Warning', text: 'the pod ends' },
};

const removal = (pod: PodView): Extract<Action, { kind: 'deletePod' }> => ({
  kind: 'deletePod',
  name: pod.metadata.name,
  uid: pod.metadata.uid,
});

function finalizerActions({ agent }: Observed): readonly Action[] {
  const finalizers = agent.metadata.finalizers ?? [];
  return finalizers.includes(FINALIZER) ? [] : [{ kind: 'setFinalizers', finalizers: [...finalizers, FINALIZER] }];
}

function storyOf(observed: Observed, { cycle, cause }: CycleStep): readonly Action[] {
  if (cause === undefined) return [];
  const { type, text } = STORIES[cause];
  const bar = barOf(observed);
  const why = cause === bar ? `: ${barMessage(observed, bar)}` : '';
  return [{ kind: 'tell', type, reason: cause, message: `cycle ${cycle}: ${text}${why}` }];
}

function endActions(observed: Observed, step: CycleStep): readonly Action[] {
  const { cycle, power, cause } = step;
  if (cause === undefined || power === 'Awake') return [];
  return [
    { kind: 'endCycle', cycle, power, rebootedAt: observed.agent.spec?.rebootedAt ?? null },
    ...storyOf(observed, step),
  ];
}

/**
 * Pods of cycles that are over. The next pod does not wait for them: it starts beside their grace period. Those of a
 * killed agent get none, also where they were ending already.
 */
function retirements(observed: Observed, { cycle, power }: CycleStep): readonly Action[] {
  const { agent, pods } = observed;
  const current = power === 'Awake' ? podName(agent.metadata, cycle) : undefined;
  const over = pods.filter((pod) => pod.metadata.name !== current);
  if (power === 'Asleep' && barOf(observed) === 'Killed')
    return over.map((pod): Action => ({ ...removal(pod), graceSeconds: 0 }));
  return over.filter((pod) => !isTerminating(pod)).map(removal);
}

/** A volume on a lost node is given up where the spec says so, and only where the node is known to be lost. */
function volumeIsGivenUp(observed: Observed, cycle: number): boolean {
  const { agent, volumeNode } = observed;
  const pod = podOfCycle(observed, cycle);
  const lost = volumeNode !== undefined && !volumeNode.ready;
  return (
    lost &&
    agent.spec?.placement.onNodeLoss === 'MoveWithoutVolume' &&
    pod !== undefined &&
    isUnschedulableByVolume(pod, observed.volumeNode)
  );
}

function abandonment(observed: Observed, claim: ClaimView): readonly Action[] {
  // Those pods hold the claim for as long as the node cannot say that they have ended.
  const stuck = observed.pods.filter((pod) => isTerminating(pod) && pod.nodeName === observed.volumeNode?.name);
  return [
    ...stuck.map((pod): Action => ({
      kind: 'deletePod',
      name: pod.metadata.name,
      uid: pod.metadata.uid,
      graceSeconds: 0,
    })),
    { kind: 'deleteClaim', name: claim.metadata.name, uid: claim.metadata.uid },
    {
      kind: 'tell',
      type: 'Warning',
      reason: 'VolumeAbandoned',
      message: `node ${observed.volumeNode?.name ?? ''} is lost and placement.onNodeLoss is MoveWithoutVolume: the agent starts elsewhere with an empty volume`,
    },
  ];
}

function ownership(observed: Observed, claim: ClaimView): readonly Action[] {
  const { agent } = observed;
  const owned = claim.metadata.ownerReferences?.some(({ uid }) => uid === agent.metadata.uid) === true;
  const shallBeOwned = agent.spec?.memory.retain === 'Delete';
  if (owned === shallBeOwned) return [];
  return [
    {
      kind: 'ownClaim',
      name: claim.metadata.name,
      uid: claim.metadata.uid,
      owners: shallBeOwned ? [ownerOf(agent)] : [],
    },
  ];
}

function claimActions(observed: Observed, { cycle, power }: CycleStep): readonly Action[] {
  const { agent, claim, settings } = observed;
  if (agent.spec === undefined) return [];
  if (claim === undefined)
    return power === 'Awake' ? [{ kind: 'createClaim', manifest: claimManifest(agent, agent.spec, settings) }] : [];
  if (isTerminating(claim) || !isOurClaim(claim, agent.metadata.name)) return [];
  if (isForeignClaim(claim, observed))
    return [{ kind: 'deleteClaim', name: claim.metadata.name, uid: claim.metadata.uid }];
  return volumeIsGivenUp(observed, cycle) ? abandonment(observed, claim) : ownership(observed, claim);
}

function podActions(observed: Observed, step: CycleStep, { tier, granted }: Admission): readonly Action[] {
  const { agent, settings, claim } = observed;
  const { cycle, power } = step;
  if (power === 'Asleep' || !granted || agent.spec === undefined || tier === undefined) return [];
  if (podOfCycle(observed, cycle) !== undefined || !isClaimUsable(claim, observed)) return [];
  const manifest = podManifest({
    agent,
    spec: agent.spec,
    tier,
    cycle,
    settings,
    seat: observed.seat.node,
  });
  return [{ kind: 'createPod', manifest }, ...storyOf(observed, step)];
}

/** A pod that runs is ended for another only when the API server would take that one. */
function trials({ pods }: Observed, made: readonly Action[]): readonly Action[] {
  return pods.some(isLiving)
    ? made.flatMap((action): readonly Action[] =>
        action.kind === 'createPod' ? [{ kind: 'tryPod', manifest: action.manifest }] : [],
      )
    : [];
}

function resizeActions(
  observed: Observed,
  { step: { cycle, cause }, admission: { tier, granted } }: { readonly step: CycleStep; readonly admission: Admission },
  nowMs: number,
): readonly Action[] {
  const pod = podOfCycle(observed, cycle);
  const { agent, settings, nextCycle } = observed;
  if (
    cause !== undefined ||
    !granted ||
    pod === undefined ||
    tier === undefined ||
    agent.spec === undefined ||
    !isCovered(observed, tier, cycle)
  )
    return [];
  if (sizingOf(observed, { pod, tier }, nowMs).kind !== 'resize') return [];
  const { name, uid } = pod.metadata;
  const instead = podManifest({
    agent,
    spec: agent.spec,
    tier,
    cycle: nextCycle,
    settings,
    seat: observed.seat.node,
  });
  return [
    {
      kind: 'resizePod',
      name,
      uid,
      spec: { containers: [{ name: CONTAINER, resources: sizeResources(tier) }] },
      instead,
    },
  ];
}

/** Deletion is a plan like any other: pods go, the api closes the account, then the finalizer lets go. */
function deletionPlan({ agent, pods }: Observed, nowMs: number): Plan {
  const finalizers = agent.metadata.finalizers ?? [];
  const removals = pods.filter((pod) => !isTerminating(pod)).map(removal);
  if (!finalizers.includes(FINALIZER)) return { actions: removals };
  const waitedMs = nowMs - deletionMs(agent);
  const letGo: Action = { kind: 'setFinalizers', finalizers: finalizers.filter((name) => name !== FINALIZER) };
  if (waitedMs < CLOSE_ESCAPE_MS)
    return { actions: [...removals, { kind: 'closeAccount' }, letGo], requeueAfterMs: CLOSE_ESCAPE_MS - waitedMs };
  const tell: Action = {
    kind: 'tell',
    type: 'Warning',
    reason: 'AccountNotClosed',
    message: 'the api did not close the account within 60 s: the Agent is deleted without',
  };
  return { actions: [...removals, tell, letGo] };
}

/** What brings the cluster nearer to what the Agent asks for. Total: every state has a plan, and the last one is empty. */
export function plan(observed: Observed, nowMs: number): Plan {
  if (isTerminating(observed.agent)) return deletionPlan(observed, nowMs);
  const admission = admissionOf(observed);
  // Money is asked for the very cycle that would begin with it.
  const isPending = admission.admitted.reason === 'HoldPending';
  const step = cycleStep(observed, isPending ? { ...admission, granted: true } : admission, nowMs);
  const hold = holdStep(observed, { step, admission }, nowMs);
  const before = finalizerActions(observed);
  const volume = claimActions(observed, step);
  const look = lookAfter(step.waitMs, hold.lookMs);
  if (hold.blocks) return { actions: [...before, ...volume, ...hold.actions], ...look };
  const made = podActions(observed, step, admission);
  const actions = [
    ...before,
    ...endActions(observed, step),
    ...trials(observed, made),
    ...retirements(observed, step),
    ...volume,
    ...made,
    ...resizeActions(observed, { step, admission }, nowMs),
    ...hold.actions,
  ];
  return { actions, ...look };
}

/** The earlier of two times to look again, where there is one. */
function lookAfter(...inMs: readonly (number | undefined)[]): Pick<Plan, 'requeueAfterMs'> {
  const times = inMs.filter((each) => each !== undefined);
  return times.length === 0 ? {} : { requeueAfterMs: Math.min(...times) };
}
