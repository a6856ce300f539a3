import type { CapabilitySummary, Presence, Standing } from '@hamlet/contract';
import type { Reason } from '@hamlet/contract/kinds';
import type { CheckedRules } from '../../objects/rule-checker.ts';
import type { SeatDecision } from '@hamlet/core/seats';
import type { CachedAgent, TierView, VolumeClaimView } from '../../objects/cached-objects.ts';
import { podName } from '../../objects/names.ts';
import type { PodView } from '../../objects/pod-view.ts';
import type { ServiceHost } from '../../objects/service-hosts.ts';
import type { ApiState, Hold } from '../../village/api-state.ts';

/** A node that an agent depends on. A node that does not exist is not ready. */
export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
  readonly cordoned?: boolean;
  readonly exists?: boolean;
}

export interface ResizeRefusal {
  readonly message: string;
  /** True if the API server also refuses a new pod of that size. The pod stays, and the operator retries the resize. */
  readonly newPodToo: boolean;
}

export interface ResizeAttempt {
  /** When the operator first saw that the pod lacks the size in its spec, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly refusal?: ResizeRefusal;
}

export interface Settings {
  readonly image: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly imagePullSecrets: readonly string[];
  /** Images that an Agent may name for its hands: these names, and names that begin with one of them. */
  readonly handsImages: readonly string[];
  readonly apiUrl: string;
  /** The broker's URL for agents; undefined if pods can only reach the API. */
  readonly brokerUrl: string | undefined;
  /** The Services that agents reach, by name. Pods have no DNS and get these addresses when they start. */
  readonly hosts: readonly ServiceHost[];
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

export interface Facts {
  /** The Agent. Its status contains the newest pod's cycle; the written status may have an older one: see `statusFromPods`. */
  readonly agent: CachedAgent;
  readonly publishedTier: string | undefined;
  readonly pods: readonly PodView[];
  /** True if a pod of another owner has the name of the cycle's pod. */
  readonly nameTaken: boolean;
  readonly nextCycle: number;
  readonly claim: VolumeClaimView | undefined;
  /** The Entitlements that the operator can parse, lowest rank first, with the GPUs that the agent currently has bought. */
  readonly tiers: readonly TierView[];
  readonly node: NodeState | undefined;
  readonly volumeNode: NodeState | undefined;
  /** The node that the seat binds the cycle's pod to, until the scheduler places the pod. */
  readonly seatNode?: NodeState | undefined;
  readonly pinnedNode: NodeState | undefined;
  readonly standing: Standing | undefined;
  readonly presence: Presence | undefined;
  /** The last report of a resident, perhaps of another life or cycle; undefined if there is none. */
  readonly capabilities?: CapabilitySummary | undefined;
  /** The check of its rules; null until the operator can check their examples, undefined if there is nothing to report. */
  readonly checkedRules?: CheckedRules | null | undefined;
  readonly apiState: ApiState;
  /** The money that the api reserves for the pod; undefined if the agent never needed any. */
  readonly hold?: Hold | undefined;
  /** The agent's seat in the village's plan. Neither granted nor with a reason if the operator has not counted it yet. */
  readonly seat: SeatDecision;
  readonly resize: ResizeAttempt | undefined;
  readonly refusal: Refusal | undefined;
  readonly settings: Settings;
}

export interface FactsWithPod extends Facts {
  readonly pod: PodView | undefined;
}

export function withPod(facts: Facts): FactsWithPod {
  const { metadata, status } = facts.agent;
  const name = podName(metadata, status.cycle ?? 0);
  return { ...facts, pod: facts.pods.find((pod) => pod.metadata.name === name) };
}
