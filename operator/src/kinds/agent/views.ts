import type { AgentSpec, AgentStatus, EntitlementSpec, EntitlementStatus, Reason } from '@hamlet/contract/kinds';
import type { SeatVerdict } from '@hamlet/core/seats';
import type { KubeObject, StoredMeta } from '@hamlet/kube';
import type { Turn } from './pod/upgrade-turn.ts';

/** Label that carries an agent's name on its pod and its claim. */
export const AGENT_LABEL = 'hamlet.village/agent';
export const ROLE_LABEL = 'hamlet.village/role';
export const AGENT_ROLE = 'agent';
/** Annotation of a pod: the tier that it was made for. A pod that was resized since keeps it. */
export const TIER_ANNOTATION = 'hamlet.village/tier';
/** Annotation of a pod: what of its tier's compute cannot change while it runs, see `fixedOf`. */
export const FIXED_ANNOTATION = 'hamlet.village/fixed-compute';
/** Annotation of a pod: the spec.rebootedAt that its cycle stands for. */
export const REBOOTED_ANNOTATION = 'hamlet.village/rebooted-at';
/** Annotation of a pod: the only node that it may get, because its seat was counted there. A pod without may be put elsewhere by the scheduler. */
export const SEAT_ANNOTATION = 'hamlet.village/seat';
/** Annotation of a pod: the image that the operator asked for. Admission may write another into the container: a digest, a mirror. */
export const IMAGE_ANNOTATION = 'hamlet.village/image';
export const FINALIZER = 'hamlet.village/account';
export const FIELD_MANAGER = 'hamlet-operator';

/** Of a spec, what the operator acts on; texts stay out of its memory. */
export type OperatedSpec = Pick<
  AgentSpec,
  'power' | 'rebootedAt' | 'entitlement' | 'memory' | 'placement' | 'isolation'
>;

/** An Agent as the operator keeps it. Exactly one of `spec` and `problem` is there. */
export interface AgentView extends KubeObject {
  readonly spec: OperatedSpec | undefined;
  /** Why the spec cannot be read. */
  readonly problem: string | undefined;
  readonly status: AgentStatus;
}

export interface ContainerState {
  readonly running: boolean;
  /** The image that it runs, as its node names it, once the node says so. */
  readonly imageId?: string | undefined;
  readonly restarts: number;
  readonly waitingReason: string | undefined;
  readonly waitingMessage: string | undefined;
  /** How the container ended last, in words. */
  readonly lastEnd: string | undefined;
}

/** Limits of a container. Requests are half of them in every tier. */
export interface Size {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** Why a node has not given a pod its new size yet. */
export interface ResizeState {
  readonly type: 'PodResizePending' | 'PodResizeInProgress';
  /** `Infeasible` or `Deferred` while it is pending, `Error` where it is tried in vain. */
  readonly reason: string;
  readonly message: string;
}

export interface PodView extends KubeObject {
  /** Image that the operator asked for; that of the container where the pod does not say it. */
  readonly image: string | undefined;
  /** What the pod asks for; undefined where it has no limits, as no pod of ours. */
  readonly size: Size | undefined;
  /** What its node has given it, once it runs. */
  readonly given: Size | undefined;
  readonly resize: ResizeState | undefined;
  /** Why the pod was told to go, in the words of Kubernetes: PreemptionByScheduler, EvictionByEvictionAPI … */
  readonly disruption: string | undefined;
  readonly nodeName: string | undefined;
  readonly phase: string;
  readonly scheduled: { readonly status: string; readonly reason: string; readonly message: string } | undefined;
  readonly container: ContainerState | undefined;
  /** Reason and message of the whole pod, for example Evicted. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

export type ClaimView = KubeObject;

export interface TierView extends KubeObject {
  readonly spec: EntitlementSpec;
  readonly status?: EntitlementStatus;
  /** Its GPUs are those of a window that one agent has bought, for as long as that lasts. */
  readonly windowed?: boolean;
}

export interface NodeView extends KubeObject {
  readonly ready: boolean;
  /** It takes no new pods, because somebody said so. */
  readonly cordoned: boolean;
  /** What pods may request of it in all. */
  readonly allocatable: Allocatable;
  /** Keys of the taints that keep pods without a toleration away. */
  readonly taints: readonly string[];
}

export interface Allocatable extends Size {
  readonly pods: number;
  /** Extended resources by name. */
  readonly devices: Readonly<Record<string, number>>;
}

/** A node as one agent depends on it. A node that is gone is not ready. */
export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
  readonly cordoned?: boolean;
  /** False where there is no such node (any more). */
  readonly exists?: boolean;
}

/** What the api says of an agent's standing. */
export interface Standing {
  readonly quarantined: boolean;
  readonly frozen: boolean;
  readonly banned: boolean;
  readonly killed: boolean;
  readonly tokenRevoked: boolean;
  /** Name of the Entitlement that the balance reaches. */
  readonly balanceTier: string | undefined;
  /** Why, in the words of who did the hardest of it. */
  readonly reason: string | undefined;
}

/** What an agent has bought for a time, beyond its tier. */
export interface Boost {
  /** It is served before the others of its tier. */
  readonly priority: boolean;
  /** GPUs that are its alone for now. */
  readonly gpu: { readonly resourceName: string; readonly count: number } | undefined;
}

/** What the api has set aside for an agent to run by, as it was said last. */
export interface HoldFacts {
  /** The life that it is for. */
  readonly uid: string;
  /** A greater one is newer. */
  readonly version: number;
  /** The newest cycle that was asked for. */
  readonly cycle: number;
  /** A pod of `tier` may run until `untilMs`. */
  readonly held: boolean;
  /** What money is set aside for. */
  readonly tier: string | undefined;
  /** Milliseconds since 1970. */
  readonly untilMs: number | undefined;
  /** The pod that the api counts the time of. */
  readonly podUid: string | undefined;
  /** When the api last answered this process that it is held, in milliseconds since 1970. */
  readonly askedMs?: number | undefined;
  /** It was given back, or may have been: it counts for nothing until the api says more. */
  readonly givenUp?: boolean;
  /** The tier that was asked for in vain, and the highest one below it that could be paid. */
  readonly refused:
    | {
        readonly tier: string;
        readonly reason: Extract<Reason, 'NotPaid' | 'HoldRefused'>;
        readonly payable: string | undefined;
      }
    | undefined;
}

/** The same, at a moment. */
export interface Hold extends HoldFacts {
  /** The time that it pays for is over, or so nearly that the pod must go now. */
  readonly lapsed: boolean;
  /** The api said so lately: it gives nothing back that was asked for within a minute. */
  readonly fresh: boolean;
}

/**
 * What the operator knows of the api's mind. `Current`: it hears the api. `Last`: it heard all that held, and the api is
 * away now. `None`: this process has not heard it yet, and what the status says is the last that is known.
 */
export type Knowledge = 'Current' | 'Last' | 'None';

/** What the API server said to a resize. */
export interface ResizeRefusal {
  readonly message: string;
  /** It would not take a new pod of that size either: the old one is kept, and it is tried again. */
  readonly newPodToo: boolean;
}

/** A resize that is under way, or that the API server refused. */
export interface ResizeAttempt {
  /** When the pod was first seen to lack the size that it asks for now, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly refusal?: ResizeRefusal;
}

/** Whether that life and cycle of an agent holds a session. */
export interface Presence {
  readonly uid: string;
  readonly cycle: number;
  readonly connected: boolean;
  readonly lastSeen: string;
}

/** What the operator was told once, at its start. */
export interface Settings {
  readonly image: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly imagePullSecrets: readonly string[];
  /** The api as agents reach it. */
  readonly apiUrl: string;
  readonly serviceAccount: string;
  readonly storageClass: string | undefined;
  readonly userNamespaces: 'On' | 'Off';
  readonly appArmor: 'RuntimeDefault' | 'Off';
}

/** Whether the pod is of an older making (image, GPU of an edited tier), and whether it is this agent's turn to be made anew; `halted` where too many that had their turn did not get ready. */
export type Upgrade = 'none' | Turn;

/** Why a child of an Agent could not be made. It stays so until somebody changes something. */
export interface Refusal {
  readonly reason: Extract<Reason, 'PodRefused' | 'VolumeTaken'>;
  readonly message: string;
}

/** All that counts for one Agent, at one moment. */
export interface Observed {
  /** Its status is that of the newest of its pods, where that is ahead of what was written: see `livedStatus`. */
  readonly agent: AgentView;
  /** The tier that the status tells. */
  readonly toldTier: string | undefined;
  /** Pods of this life of the agent. */
  readonly pods: readonly PodView[];
  /** A pod that is not ours and has the name that the cycle's pod would get. */
  readonly nameTaken: boolean;
  /** The next cycle whose name is free. */
  readonly nextCycle: number;
  readonly claim: ClaimView | undefined;
  /** By rank, lowest first. */
  readonly tiers: readonly TierView[];
  /** Node of the cycle's pod, once it has one. */
  readonly node: NodeState | undefined;
  /** Node that the volume lies on, where the storage says so. */
  readonly volumeNode: NodeState | undefined;
  /** The node that the cycle's pod was made for, while it waits for the scheduler. */
  readonly seatNode?: NodeState | undefined;
  /** The node that placement.nodeName names. */
  readonly pinnedNode: NodeState | undefined;
  readonly standing: Standing | undefined;
  readonly presence: Presence | undefined;
  readonly knowledge: Knowledge;
  /** What is set aside for its pod; nothing where its tier is free. */
  readonly hold?: Hold | undefined;
  /** Whether the nodes have a seat for it, counted over the whole village. Not granted without a reason: not counted yet. */
  readonly seat: SeatVerdict;
  readonly resize: ResizeAttempt | undefined;
  readonly upgrade: Upgrade;
  /** Why the pod or the claim could not be made at the last attempt. */
  readonly refusal: Refusal | undefined;
  readonly settings: Settings;
}

/** Whether the containers of a pod have ended. */
export function isOver({ phase }: PodView): boolean {
  return phase === 'Failed' || phase === 'Succeeded';
}

/** Whether a pod neither ends nor has ended. */
export function isLiving(pod: PodView): boolean {
  return pod.metadata.deletionTimestamp === undefined && !isOver(pod);
}

/** `NAME-CYCLE`: a deleted pod holds its name for its grace period, so every replacement has another. */
export function podName(agent: StoredMeta, cycle: number): string {
  return `${agent.name}-${cycle}`;
}

export function claimName(agent: StoredMeta): string {
  return `${agent.name}-home`;
}

/** The pod of the cycle, also while it terminates. */
export function podOfCycle(observed: Observed, cycle: number): PodView | undefined {
  const name = podName(observed.agent.metadata, cycle);
  return observed.pods.find((pod) => pod.metadata.name === name);
}
