import type { Power } from '@hamlet/contract/kinds';
import type { NewObject } from '@hamlet/kube';
import { deletionMs, isTerminating, type VolumeClaimView } from '../../objects/cached-objects.ts';
import { FINALIZER, podName } from '../../objects/names.ts';
import { isLiving, sizedContainer, type PodView } from '../../objects/pod-view.ts';
import { sizeResources } from '../../objects/tier-compute.ts';
import { isCovered } from './condition/payment.ts';
import { isUnschedulableByVolume } from './condition/pod-conditions.ts';
import { barMessage, barOf } from './condition/standing.ts';
import { type CycleCause, cycleStep, type CycleStep } from './cycle.ts';
import type { Observed } from './observe.ts';
import { ownerOf, podManifest } from './pod-manifest.ts';
import { claimManifest, isClaimUsable, isForeignClaim, isOurClaim } from './volume-claim.ts';
import type { AgentEvent } from './events-for.ts';
import { holdStep, type HoldAction } from './hold-step.ts';

/** A deletion waits at most this long for the api to close the account. Then the operator deletes the Agent anyway. */
const CLOSE_ESCAPE_MS = 60_000;

/** One action of a plan. The operator performs actions in order and stops at the first failure. */
export type Action =
  | { readonly kind: 'setFinalizers'; readonly finalizers: readonly string[] }
  /** Writes a new cycle that has no pod. A cycle with a pod needs no write: the pod's name and owner prove it. */
  | { readonly kind: 'endCycle'; readonly cycle: number; readonly power: Power; readonly rebootedAt: string | null }
  | { readonly kind: 'createClaim'; readonly manifest: NewObject }
  | { readonly kind: 'ownClaim'; readonly name: string; readonly uid: string; readonly owners: readonly object[] }
  | { readonly kind: 'deleteClaim'; readonly name: string; readonly uid: string }
  /** Checks with a dry run that the API server would accept the pod, before a running pod ends for it. */
  | { readonly kind: 'tryPod'; readonly manifest: NewObject }
  | { readonly kind: 'createPod'; readonly manifest: NewObject }
  /** Changes cpu and memory of the running pod. After a refusal, the operator tries the pod `instead` with a dry run. */
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
  | ({ readonly kind: 'recordEvent'; readonly reason: string } & Pick<AgentEvent, 'type' | 'message'>);

export interface Plan {
  readonly actions: readonly Action[];
  readonly requeueAfterMs?: number;
}

/** Causes whose Event is `Normal`, because a person or a purchase requested the change; all others are warnings. */
const EXPECTED: ReadonlySet<CycleCause> = new Set<CycleCause>([
  'Awakened',
  'Suspended',
  'Rebooted',
  'NodeDrained',
  'SeatMoved',
  'ImageChanged',
  'TierChanged',
  'GpuWindow',
]);

const EVENT_TEXTS: Readonly<Record<CycleCause, string>> = {
  Awakened: 'awake',
  Suspended: 'asleep: the pod ends, the volume stays',
  Rebooted: 'rebooted as spec.rebootedAt asks',
  PodLost: 'pod lost; creating a replacement',
  PodDeleted: 'pod deleted by another client; creating a replacement',
  PodFailed: 'pod failed; creating a replacement',
  Preempted:
    'the scheduler ended the pod to make room for a pod of a higher priority; creating a replacement, which waits for room',
  Evicted: 'pod evicted; creating a replacement',
  NodeDrained: 'the node is being drained; creating a replacement on another node',
  NodePressure: 'the node ran short of resources or shuts down; creating a replacement',
  NodeLost: 'the node does not answer and Kubernetes has given up its pod; creating a replacement',
  SeatMoved: 'the node of the seat became full before the pod began; creating a replacement on another node',
  ImageChanged: 'the village has another image, compute or address for agents; replacing the pod',
  NameTaken: "another pod has this cycle's name; using the next cycle",
  TierChanged: 'the tier has another GPU or priority; replacing the pod, the volume stays',
  GpuWindow: 'a GPU window of the agent begins or ends; replacing the pod, the volume stays',
  ResizeRefused: 'the pod cannot be resized while it runs; replacing it with a pod of its tier',
  ResizeTimedOut: 'the node did not resize the pod within 30 s; replacing it with a pod of its tier',
  Displaced: 'an agent of a higher tier needs the seat: the pod ends, the volume stays',
  NodeShort: 'the node is short of memory: the pod ends, the volume stays',
  NotPaid: 'the agent cannot pay for its tier: the pod ends, the volume stays',
  HoldRefused: 'the api reserves no money for the agent: the pod ends, the volume stays',
  Killed: 'the pod is killed',
  Banned: 'the pod ends',
  Quarantined: 'the pod ends, the volume stays unchanged',
  Frozen: 'the pod ends',
};

const removal = (pod: PodView, graceSeconds?: number): Action => ({
  kind: 'deletePod',
  name: pod.metadata.name,
  uid: pod.metadata.uid,
  ...(graceSeconds === undefined ? {} : { graceSeconds }),
});

function finalizerActions({ agent }: Observed): readonly Action[] {
  const finalizers = agent.metadata.finalizers ?? [];
  return finalizers.includes(FINALIZER) ? [] : [{ kind: 'setFinalizers', finalizers: [...finalizers, FINALIZER] }];
}

function eventActions(observed: Observed, { cycle, cause }: CycleStep): readonly Action[] {
  if (cause === undefined) return [];
  const type = EXPECTED.has(cause) ? 'Normal' : 'Warning';
  const bar = barOf(observed);
  const why = cause === bar ? `: ${barMessage(observed, bar)}` : '';
  return [{ kind: 'recordEvent', type, reason: cause, message: `cycle ${cycle}: ${EVENT_TEXTS[cause]}${why}` }];
}

function endActions(observed: Observed, step: CycleStep): readonly Action[] {
  const { cycle, power, cause } = step;
  if (cause === undefined || power === 'Awake') return [];
  return [
    { kind: 'endCycle', cycle, power, rebootedAt: observed.agent.spec?.rebootedAt ?? null },
    ...eventActions(observed, step),
  ];
}

/** Deletes the pods of earlier cycles; the next pod does not wait for them. A killed agent's pods get no grace period. */
function retirements(observed: Observed, { cycle, power }: CycleStep): readonly Action[] {
  const { agent, pods } = observed;
  const current = power === 'Awake' ? podName(agent.metadata, cycle) : undefined;
  const over = pods.filter((pod) => pod.metadata.name !== current);
  return power === 'Asleep' && barOf(observed) === 'Killed'
    ? over.map((pod) => removal(pod, 0))
    : over.filter((pod) => !isTerminating(pod)).map((pod) => removal(pod));
}

/** True if the volume must be given up: the pod waits for a lost node, and the spec lets the agent move without the volume. */
function isVolumeGivenUp({ agent, volumeNode }: Observed, { pod }: CycleStep): boolean {
  return (
    volumeNode !== undefined &&
    !volumeNode.ready &&
    agent.spec?.placement.onNodeLoss === 'MoveWithoutVolume' &&
    pod !== undefined &&
    isUnschedulableByVolume(pod, volumeNode)
  );
}

function abandonment({ pods, volumeNode }: Observed, { metadata }: VolumeClaimView): readonly Action[] {
  const node = volumeNode?.name;
  // These pods would keep the volume claim until the lost node reports their end.
  const stuck = pods.filter((pod) => isTerminating(pod) && pod.nodeName === node);
  return [
    ...stuck.map((pod) => removal(pod, 0)),
    { kind: 'deleteClaim', name: metadata.name, uid: metadata.uid },
    {
      kind: 'recordEvent',
      type: 'Warning',
      reason: 'VolumeAbandoned',
      message: `node ${node ?? ''} is lost and placement.onNodeLoss is MoveWithoutVolume: the agent starts elsewhere with an empty volume`,
    },
  ];
}

function ownership({ agent }: Observed, { metadata }: VolumeClaimView): readonly Action[] {
  const isOwned = metadata.ownerReferences?.some(({ uid }) => uid === agent.metadata.uid) === true;
  const shallBeOwned = agent.spec?.memory.retain === 'Delete';
  if (isOwned === shallBeOwned) return [];
  const owners = shallBeOwned ? [ownerOf(agent)] : [];
  return [{ kind: 'ownClaim', name: metadata.name, uid: metadata.uid, owners }];
}

function claimActions(observed: Observed, step: CycleStep): readonly Action[] {
  const { agent, claim, settings } = observed;
  if (agent.spec === undefined) return [];
  if (claim === undefined)
    return step.power === 'Awake'
      ? [{ kind: 'createClaim', manifest: claimManifest(agent, agent.spec, settings) }]
      : [];
  if (isTerminating(claim) || !isOurClaim(claim, agent.metadata.name)) return [];
  if (isForeignClaim(claim, agent))
    return [{ kind: 'deleteClaim', name: claim.metadata.name, uid: claim.metadata.uid }];
  return isVolumeGivenUp(observed, step) ? abandonment(observed, claim) : ownership(observed, claim);
}

function manifestOf({ agent, settings, seat, admission: { tier } }: Observed, cycle: number): NewObject | undefined {
  return agent.spec === undefined || tier === undefined
    ? undefined
    : podManifest({ agent, spec: agent.spec, tier, cycle, settings, seat: seat.node });
}

function podActions(observed: Observed, step: CycleStep): readonly Action[] {
  const { agent, claim, admission } = observed;
  const isWanted = step.power === 'Awake' && admission.granted && step.pod === undefined;
  const manifest = isWanted && isClaimUsable(claim, agent) ? manifestOf(observed, step.cycle) : undefined;
  return manifest === undefined ? [] : [{ kind: 'createPod', manifest }, ...eventActions(observed, step)];
}

function trials({ pods }: Observed, made: readonly Action[]): readonly Action[] {
  if (!pods.some(isLiving)) return [];
  return made.flatMap((action) =>
    action.kind === 'createPod' ? [{ kind: 'tryPod', manifest: action.manifest } as const] : [],
  );
}

function resizeActions(observed: Observed, { cycle, pod, resizes }: CycleStep): readonly Action[] {
  const { tier, granted } = observed.admission;
  if (resizes !== true || !granted || pod === undefined || tier === undefined || !isCovered(observed, tier, cycle))
    return [];
  const instead = manifestOf(observed, observed.nextCycle);
  const sized = sizedContainer(pod);
  if (instead === undefined || sized === undefined) return [];
  const { name, uid } = pod.metadata;
  const spec = { containers: [{ name: sized, resources: sizeResources(tier) }] };
  return [{ kind: 'resizePod', name, uid, spec, instead }];
}

/** The owner of the volume claim as the spec has it at the end, because a deletion can follow a change of `memory.retain` at once. */
function lastOwnership(observed: Observed): readonly Action[] {
  const { agent, claim } = observed;
  const isOurs = claim !== undefined && isOurClaim(claim, agent.metadata.name) && !isForeignClaim(claim, agent);
  return agent.spec !== undefined && isOurs && !isTerminating(claim) ? ownership(observed, claim) : [];
}

function deletionPlan(observed: Observed, nowMs: number): Plan {
  const { agent, pods } = observed;
  const finalizers = agent.metadata.finalizers ?? [];
  const removals = pods.filter((pod) => !isTerminating(pod)).map((pod) => removal(pod));
  if (!finalizers.includes(FINALIZER)) return { actions: removals };
  const before = [...removals, ...lastOwnership(observed)];
  const waitedMs = nowMs - deletionMs(agent);
  const letGo: Action = { kind: 'setFinalizers', finalizers: finalizers.filter((name) => name !== FINALIZER) };
  if (waitedMs < CLOSE_ESCAPE_MS)
    return { actions: [...before, { kind: 'closeAccount' }, letGo], requeueAfterMs: CLOSE_ESCAPE_MS - waitedMs };
  const event: Action = {
    kind: 'recordEvent',
    type: 'Warning',
    reason: 'AccountNotClosed',
    message: 'the api did not close the account within 60 s: the Agent is deleted and its account stays open',
  };
  return { actions: [...before, event, letGo] };
}

function earliest(...timesMs: readonly (number | undefined)[]): Pick<Plan, 'requeueAfterMs'> {
  const times = timesMs.filter((each) => each !== undefined);
  return times.length === 0 ? {} : { requeueAfterMs: Math.min(...times) };
}

/** The actions that bring the cluster closer to the Agent's spec; none once nothing is left to do. */
export function plan(observed: Observed, nowMs: number): Plan {
  if (isTerminating(observed.agent)) return deletionPlan(observed, nowMs);
  const step = cycleStep(observed, nowMs);
  const hold = holdStep(observed, step, nowMs);
  const before = finalizerActions(observed);
  const volume = claimActions(observed, step);
  const look = earliest(step.waitMs, hold.lookMs);
  if (hold.blocks) return { actions: [...before, ...volume, ...hold.actions], ...look };
  const made = podActions(observed, step);
  const actions = [
    ...before,
    ...endActions(observed, step),
    ...trials(observed, made),
    ...retirements(observed, step),
    ...volume,
    ...made,
    ...resizeActions(observed, step),
    ...hold.actions,
  ];
  return { actions, ...look };
}
