/** The values that an observation of an Agent is made of. */
import type { Presence, Standing } from '@hamlet/contract';
import type { Reason } from '@hamlet/contract/kinds';
import type { SeatDecision } from '@hamlet/core/seats';
import type { CachedAgent, TierView, VolumeClaimView } from '../../objects/cached-objects.ts';
import { podName } from '../../objects/names.ts';
import type { PodView } from '../../objects/pod-view.ts';
import type { ApiState, Hold } from '../../village/api-state.ts';

/** A node that an agent depends on. A missing node is not ready. */
export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
  readonly cordoned?: boolean;
  /** False if there is no such node. */
  readonly exists?: boolean;
}

/** The API server's refusal of a resize. */
export interface ResizeRefusal {
  readonly message: string;
  /** It refuses a new pod of that size too: the pod stays, and the resize is retried. */
  readonly newPodToo: boolean;
}

/** A resize that is under way, or that the API server refused. */
export interface ResizeAttempt {
  /** First observation of the pod without the size that it asks for now, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly refusal?: ResizeRefusal;
}

/** Settings of the operator for the pods that it creates. */
export interface Settings {
  readonly image: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly imagePullSecrets: readonly string[];
  /** The api's URL for agents. */
  readonly apiUrl: string;
  readonly serviceAccount: string;
  readonly storageClass: string | undefined;
  readonly userNamespaces: 'On' | 'Off';
  readonly appArmor: 'RuntimeDefault' | 'Off';
}

/** The reason why a pod or a volume claim could not be created. It stays until a person changes something. */
export interface Refusal {
  readonly reason: Extract<Reason, 'PodRefused' | 'VolumeTaken'>;
  readonly message: string;
}

/** The state of one Agent and of everything that it depends on, at one moment. */
export interface Facts {
  /** Its status is that of its newest pod, if the written status is older: see `statusFromPods`. */
  readonly agent: CachedAgent;
  /** The tier of the written status. */
  readonly publishedTier: string | undefined;
  /** Pods of this Agent object. */
  readonly pods: readonly PodView[];
  /** Another owner's pod has the name of the cycle's pod. */
  readonly nameTaken: boolean;
  /** The next cycle whose pod name is free. */
  readonly nextCycle: number;
  readonly claim: VolumeClaimView | undefined;
  /** Readable tiers by rank, lowest first, with the GPUs of the agent's window. */
  readonly tiers: readonly TierView[];
  /** Node of the cycle's pod, once it has one. */
  readonly node: NodeState | undefined;
  /** Node of the volume, if the storage names one. */
  readonly volumeNode: NodeState | undefined;
  /** The node that the cycle's pod is bound to by its seat, until the scheduler places it. */
  readonly seatNode?: NodeState | undefined;
  /** The node of placement.nodeName. */
  readonly pinnedNode: NodeState | undefined;
  readonly standing: Standing | undefined;
  readonly presence: Presence | undefined;
  readonly apiState: ApiState;
  /** Money that the api reserves for its pod; undefined if its tiers are free. */
  readonly hold?: Hold | undefined;
  /** Its seat in the plan of the whole village. Not granted and without a reason: not counted yet. */
  readonly seat: SeatDecision;
  readonly resize: ResizeAttempt | undefined;
  /** The refusal of the last attempt to create its pod or its volume claim. */
  readonly refusal: Refusal | undefined;
  readonly settings: Settings;
}

/** Facts with the pod of the present cycle, also while it terminates. */
export interface FactsWithPod extends Facts {
  readonly pod: PodView | undefined;
}

export function withPod(facts: Facts): FactsWithPod {
  const { metadata, status } = facts.agent;
  const name = podName(metadata, status.cycle ?? 0);
  return { ...facts, pod: facts.pods.find((pod) => pod.metadata.name === name) };
}
