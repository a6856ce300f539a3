import type { AgentSpec, AgentStatus, EntitlementSpec } from '@hamlet/contract/kinds';
import type { KubeObject, StoredMeta } from '@hamlet/kube';

/** Label that carries an agent's name on its pod and its claim. */
export const AGENT_LABEL = 'hamlet.village/agent';
export const ROLE_LABEL = 'hamlet.village/role';
export const AGENT_ROLE = 'agent';
/** Annotation of a pod: the tier whose resources it got. */
export const TIER_ANNOTATION = 'hamlet.village/tier';
export const FINALIZER = 'hamlet.village/account';
export const FIELD_MANAGER = 'hamlet-operator';

/** Of a spec, what the operator acts on; texts stay out of its memory. */
export type OperatedSpec = Pick<AgentSpec, 'power' | 'rebootedAt' | 'entitlement' | 'memory' | 'placement' | 'isolation'>;

/** An Agent as the operator keeps it. Exactly one of `spec` and `problem` is there. */
export interface AgentView extends KubeObject {
  readonly spec: OperatedSpec | undefined;
  /** Why the spec cannot be read. */
  readonly problem: string | undefined;
  readonly status: AgentStatus;
}

export interface ContainerState {
  readonly running: boolean;
  readonly restarts: number;
  readonly waitingReason: string | undefined;
  readonly waitingMessage: string | undefined;
  /** How the container ended last, in words. */
  readonly lastEnd: string | undefined;
}

export interface PodView extends KubeObject {
  /** Image that the pod was made with. */
  readonly image: string | undefined;
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
}

export interface NodeView extends KubeObject {
  readonly ready: boolean;
}

/** A node as one agent depends on it. A node that is gone is not ready. */
export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
}

/** What the api says of an agent's standing. */
export interface Standing {
  readonly quarantined: boolean;
  readonly frozen: boolean;
  /** Name of the Entitlement that the balance reaches. */
  readonly balanceTier: string | undefined;
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

/** Whether the pod has another image than the operator's, and whether it is this agent's turn to get it. */
export type Upgrade = 'none' | 'waits' | 'now';

/** All that counts for one Agent, at one moment. */
export interface Observed {
  readonly agent: AgentView;
  /** Pods of this life of the agent. */
  readonly pods: readonly PodView[];
  /** A pod that is not ours and has the name that the cycle's pod would get. */
  readonly nameTaken: boolean;
  readonly claim: ClaimView | undefined;
  /** By rank, lowest first. */
  readonly tiers: readonly TierView[];
  /** Node of the cycle's pod, once it has one. */
  readonly node: NodeState | undefined;
  /** Node that the volume lies on, where the storage says so. */
  readonly volumeNode: NodeState | undefined;
  readonly standing: Standing | undefined;
  readonly presence: Presence | undefined;
  readonly apiReachable: boolean;
  readonly upgrade: Upgrade;
  /** Why the API server refused the pod or the claim at the last attempt. */
  readonly refusal: string | undefined;
  readonly settings: Settings;
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
