import type { Power } from '@hamlet/contract/kinds';
import type { NewObject } from '@hamlet/kube';
import { deletionMs, isClaimUsable, isForeignClaim, isTerminating } from './child/claim.ts';
import { cycleStep, type CycleCause, type CycleStep } from './cycle.ts';
import { claimManifest, ownerOf, podManifest } from './child/manifests.ts';
import { isUnschedulableByVolume } from './condition/pod-verdict.ts';
import { admissionOf, type Admission } from './condition/verdict.ts';
import { FINALIZER, podName, podOfCycle, type ClaimView, type Observed, type PodView } from './views.ts';

/** A deletion waits this long for the api to close the account, then goes on without. */
export const CLOSE_ESCAPE_MS = 60_000;

/** One thing to do. They are done in order, and the first that fails ends the attempt. */
export type Action =
  | { readonly kind: 'setFinalizers'; readonly finalizers: readonly string[] }
  /** Written before the pod of the cycle is made: what the api sees of it is never younger than the pod. */
  | { readonly kind: 'raiseCycle'; readonly cycle: number; readonly power: Power; readonly rebootedAt: string | null }
  | { readonly kind: 'createClaim'; readonly manifest: NewObject }
  | { readonly kind: 'ownClaim'; readonly name: string; readonly uid: string; readonly owners: readonly object[] }
  | { readonly kind: 'deleteClaim'; readonly name: string; readonly uid: string }
  | { readonly kind: 'createPod'; readonly manifest: NewObject }
  | { readonly kind: 'deletePod'; readonly name: string; readonly uid: string; readonly graceSeconds?: number }
  | { readonly kind: 'closeAccount' }
  | { readonly kind: 'tell'; readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };

/** What to do now, and when to look again although nothing changes. */
export interface Plan {
  readonly actions: readonly Action[];
  readonly requeueAfterMs?: number;
}

const STORIES: Readonly<Record<CycleCause, { readonly type: 'Normal' | 'Warning'; readonly text: string }>> = {
  Awakened: { type: 'Normal', text: 'awake' },
  Suspended: { type: 'Normal', text: 'asleep: the pod ends, the volume stays' },
  Rebooted: { type: 'Normal', text: 'rebooted as spec.rebootedAt asks' },
  PodLost: { type: 'Warning', text: 'the pod is gone and is replaced' },
  PodDeleted: { type: 'Warning', text: 'somebody deleted the pod: it is replaced' },
  PodFailed: { type: 'Warning', text: 'the pod has failed and is replaced' },
  ImageChanged: { type: 'Normal', text: 'the village has a new image for agents' },
  NameTaken: { type: 'Warning', text: "another pod has this cycle's name: the next one is taken" },
};

const removal = (pod: PodView): Action => ({ kind: 'deletePod', name: pod.metadata.name, uid: pod.metadata.uid });

function finalizerActions({ agent }: Observed): readonly Action[] {
  const finalizers = agent.metadata.finalizers ?? [];
  return finalizers.includes(FINALIZER) ? [] : [{ kind: 'setFinalizers', finalizers: [...finalizers, FINALIZER] }];
}

function cycleActions({ agent }: Observed, { cycle, power, cause }: CycleStep): readonly Action[] {
  if (cause === undefined) return [];
  const story = STORIES[cause];
  return [
    { kind: 'raiseCycle', cycle, power, rebootedAt: agent.spec?.rebootedAt ?? null },
    { kind: 'tell', type: story.type, reason: cause, message: `cycle ${cycle}: ${story.text}` },
  ];
}

/** Pods of cycles that are over. The next pod does not wait for them: it starts beside their grace period. */
function retirements({ agent, pods }: Observed, { cycle, power }: CycleStep): readonly Action[] {
  const current = power === 'Awake' ? podName(agent.metadata, cycle) : undefined;
  return pods.filter((pod) => pod.metadata.name !== current && !isTerminating(pod)).map(removal);
}

/** A volume on a lost node is given up where the spec says so, and only where the node is known to be lost. */
function volumeIsGivenUp(observed: Observed, cycle: number): boolean {
  const { agent, volumeNode } = observed;
  const pod = podOfCycle(observed, cycle);
  const lost = volumeNode !== undefined && !volumeNode.ready;
  return lost && agent.spec?.placement.onNodeLoss === 'MoveWithoutVolume' && pod !== undefined && isUnschedulableByVolume(pod);
}

function abandonment(observed: Observed, claim: ClaimView): readonly Action[] {
  // Those pods hold the claim for as long as the node cannot say that they have ended.
  const stuck = observed.pods.filter((pod) => isTerminating(pod) && pod.nodeName === observed.volumeNode?.name);
  return [
    ...stuck.map((pod): Action => ({ kind: 'deletePod', name: pod.metadata.name, uid: pod.metadata.uid, graceSeconds: 0 })),
    { kind: 'deleteClaim', name: claim.metadata.name, uid: claim.metadata.uid },
    { kind: 'tell', type: 'Warning', reason: 'VolumeAbandoned', message: `node ${observed.volumeNode?.name ?? ''} is lost and placement.onNodeLoss is MoveWithoutVolume: the agent starts elsewhere with an empty volume` },
  ];
}

function ownership(observed: Observed, claim: ClaimView): readonly Action[] {
  const { agent } = observed;
  const owned = claim.metadata.ownerReferences?.some(({ uid }) => uid === agent.metadata.uid) === true;
  const shallBeOwned = agent.spec?.memory.retain === 'Delete';
  if (owned === shallBeOwned) return [];
  return [{ kind: 'ownClaim', name: claim.metadata.name, uid: claim.metadata.uid, owners: shallBeOwned ? [ownerOf(agent)] : [] }];
}

function claimActions(observed: Observed, { cycle, power }: CycleStep): readonly Action[] {
  const { agent, claim, settings } = observed;
  if (agent.spec === undefined) return [];
  if (claim === undefined) return power === 'Awake' ? [{ kind: 'createClaim', manifest: claimManifest(agent, agent.spec, settings) }] : [];
  if (isTerminating(claim)) return [];
  if (isForeignClaim(claim, observed)) return [{ kind: 'deleteClaim', name: claim.metadata.name, uid: claim.metadata.uid }];
  return volumeIsGivenUp(observed, cycle) ? abandonment(observed, claim) : ownership(observed, claim);
}

function podActions(observed: Observed, { cycle, power }: CycleStep, { tier }: Admission): readonly Action[] {
  const { agent, settings, claim } = observed;
  if (power === 'Asleep' || agent.spec === undefined || tier === undefined) return [];
  if (podOfCycle(observed, cycle) !== undefined || !isClaimUsable(claim, observed)) return [];
  return [{ kind: 'createPod', manifest: podManifest({ agent, spec: agent.spec, tier, cycle, settings }) }];
}

/** Deletion is a plan like any other: pods go, the api closes the account, then the finalizer lets go. */
function deletionPlan({ agent, pods }: Observed, nowMs: number): Plan {
  const finalizers = agent.metadata.finalizers ?? [];
  const removals = pods.filter((pod) => !isTerminating(pod)).map(removal);
  if (!finalizers.includes(FINALIZER)) return { actions: removals };
  const waitedMs = nowMs - deletionMs(agent);
  const letGo: Action = { kind: 'setFinalizers', finalizers: finalizers.filter((name) => name !== FINALIZER) };
  if (waitedMs < CLOSE_ESCAPE_MS) return { actions: [...removals, { kind: 'closeAccount' }, letGo], requeueAfterMs: CLOSE_ESCAPE_MS - waitedMs };
  const tell: Action = { kind: 'tell', type: 'Warning', reason: 'AccountNotClosed', message: 'the api did not close the account within 60 s: the Agent is deleted without' };
  return { actions: [...removals, tell, letGo] };
}

/** What brings the cluster nearer to what the Agent asks for. Total: every state has a plan, and the last one is empty. */
export function plan(observed: Observed, nowMs: number): Plan {
  if (isTerminating(observed.agent)) return deletionPlan(observed, nowMs);
  const admission = admissionOf(observed);
  const step = cycleStep(observed, admission.granted, nowMs);
  const actions = [
    ...finalizerActions(observed),
    ...cycleActions(observed, step),
    ...retirements(observed, step),
    ...claimActions(observed, step),
    ...podActions(observed, step, admission),
  ];
  return step.waitMs === undefined ? { actions } : { actions, requeueAfterMs: step.waitMs };
}

