/** States for tests: a healthy agent of tier-0, and parts that differ from it. */
import { AgentSpec, EntitlementSpec, type AgentStatus, type Condition } from '@hamlet/contract/kinds';
import { fixedOf, sizeOf } from '../../../objects/tier-compute.ts';
import { type Observed, observedFrom, statusFromPods } from '../observe.ts';
import type { Facts, Settings } from '../facts.ts';
import {
  AGENT_LABEL,
  AGENT_ROLE,
  FIXED_ANNOTATION,
  HANDS_ANNOTATION,
  HOSTS_ANNOTATION,
  REBOOTED_ANNOTATION,
  ROLE_LABEL,
  TIER_ANNOTATION,
} from '../../../objects/names.ts';
import type { CachedAgent, OperatedSpec, TierView, VolumeClaimView } from '../../../objects/cached-objects.ts';
import { operatedSpec } from '../../../objects/cached-objects.ts';
import type { ContainerState, PodView } from '../../../objects/pod-view.ts';
import { hostsText } from '../../../objects/service-hosts.ts';
import type { Hold } from '../../../village/api-state.ts';
import { goodStanding, type Standing } from '@hamlet/contract';

export const SETTINGS: Settings = {
  image: 'hamlet/agent:1',
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: [],
  handsImages: [],
  apiUrl: 'http://hamlet-api-agents:8081',
  brokerUrl: 'http://hamlet-broker:3128',
  hosts: [
    { name: 'hamlet-api-agents', address: '10.96.0.11' },
    { name: 'hamlet-broker', address: '10.96.0.12' },
  ],
  serviceAccount: 'hamlet-agent',
  storageClass: undefined,
  userNamespaces: 'On',
  appArmor: 'Off',
};

export function specOf(input: Readonly<Record<string, unknown>> = {}): OperatedSpec {
  return operatedSpec(AgentSpec.parse(input));
}

interface AgentParts {
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: AgentStatus | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly deletionTimestamp?: string | undefined;
}

export function agentOf({
  spec,
  status = {},
  finalizers = ['hamlet.village/account'],
  deletionTimestamp,
}: AgentParts = {}): CachedAgent {
  const deleted = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return {
    metadata: {
      name: 'ada',
      namespace: 'village',
      uid: 'ada-uid',
      resourceVersion: '10',
      generation: 1,
      finalizers,
      ...deleted,
    },
    spec: specOf(spec),
    problem: undefined,
    status,
  };
}

interface TierParts {
  readonly minBalance?: string;
  readonly perHour?: string;
  readonly compute?: Readonly<Record<string, unknown>>;
  readonly tools?: unknown;
}

export function tierOf(
  name: string,
  rank: number,
  { minBalance = '0', perHour = '0', compute = {}, tools }: TierParts = {},
): TierView {
  const limits = { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 };
  return {
    metadata: { name, namespace: 'village', uid: `${name}-uid`, resourceVersion: '1' },
    spec: EntitlementSpec.parse({ rank, minBalance, limits, compute, price: { perHour }, tools }),
  };
}

export const TIER_0 = tierOf('tier-0', 0);
export const TIER_1 = tierOf('tier-1', 1, { minBalance: '10', compute: { resources: { cpu: '1', memory: '1Gi' } } });
/** As large as tier-1, with a GPU. */
export const TIER_2 = tierOf('tier-2', 2, {
  minBalance: '100',
  compute: {
    resources: { cpu: '1', memory: '1Gi' },
    gpu: { mode: 'Shared', count: 1 },
    priorityClassName: 'village-high',
  },
});

/** The tiers of a village with prices: tier-0 is free, the others cost money. */
export const PRICED_TIERS: readonly TierView[] = [TIER_0, priced(TIER_1, '1'), priced(TIER_2, '10')];

function priced(tier: TierView, perHour: string): TierView {
  return { ...tier, spec: { ...tier.spec, price: { ...tier.spec.price, perHour } } };
}

/** The agent's hold in its first cycle, valid for a long time, and its refused tier. */
export function holdFor(
  tier: string | undefined,
  refused?: { readonly tier: string; readonly reason: 'NotPaid' | 'HoldRefused'; readonly payable?: string },
): Hold {
  return {
    agent_id: 'ada',
    uid: 'ada-uid',
    version: 1,
    cycle: 1,
    held: tier !== undefined,
    tier: tier ?? null,
    until: tier === undefined ? null : '2999-01-01T00:00:00Z',
    pod_uid: null,
    refused: refused === undefined ? null : { payable: null, ...refused },
    lapsed: tier === undefined,
    fresh: true,
  };
}

export const standingOf = (parts: Partial<Standing> = {}): Standing => ({ ...goodStanding('ada'), ...parts });

interface PodParts extends Partial<Omit<PodView, 'metadata'>> {
  readonly deletionTimestamp?: string;
  readonly createdAt?: string;
  readonly tier?: TierView;
  readonly rebootedAt?: string | undefined;
}

export function podOf(name: string, parts: PodParts = {}): PodView {
  const { deletionTimestamp, createdAt = '2026-11-22T09:00:00Z', tier = TIER_0, rebootedAt, ...view } = parts;
  const annotations = {
    [TIER_ANNOTATION]: tier.metadata.name,
    [FIXED_ANNOTATION]: fixedOf(tier),
    [HANDS_ANNOTATION]: SETTINGS.image,
    [HOSTS_ANNOTATION]: hostsText(SETTINGS.hosts),
    ...(rebootedAt === undefined ? {} : { [REBOOTED_ANNOTATION]: rebootedAt }),
  };
  return {
    metadata: {
      name,
      namespace: 'village',
      uid: `${name}-uid`,
      resourceVersion: '1',
      creationTimestamp: createdAt,
      annotations,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    image: SETTINGS.image,
    hands: SETTINGS.image,
    handsContainer: container({ running: true }),
    size: sizeOf(tier),
    given: sizeOf(tier),
    resize: undefined,
    disruption: undefined,
    nodeName: 'sparky1',
    phase: 'Running',
    scheduled: { status: 'True', reason: '', message: '' },
    container: container({ running: true }),
    reason: undefined,
    message: undefined,
    ...view,
  };
}

export function claimOf(
  ownerUid: string | null = 'ada-uid',
  parts: { readonly deletionTimestamp?: string; readonly node?: string } = {},
): VolumeClaimView {
  const owner = {
    apiVersion: 'hamlet.village/v1alpha1',
    kind: 'Agent',
    name: 'ada',
    uid: ownerUid ?? '',
    controller: true,
  };
  return {
    metadata: {
      name: 'ada-home',
      namespace: 'village',
      uid: 'claim-uid',
      resourceVersion: '1',
      labels: { [ROLE_LABEL]: AGENT_ROLE, [AGENT_LABEL]: 'ada' },
      ...(ownerUid === null ? {} : { ownerReferences: [owner] }),
      ...(parts.deletionTimestamp === undefined ? {} : { deletionTimestamp: parts.deletionTimestamp }),
      ...(parts.node === undefined ? {} : { annotations: { 'volume.kubernetes.io/selected-node': parts.node } }),
    },
  };
}

/** A volume claim of a StatefulSet, with the name and the labels of the agent's volume claim. */
export const claimOfOthers: VolumeClaimView = {
  metadata: {
    ...claimOf().metadata,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'ada', uid: 'set-uid', controller: true }],
  },
};

/** Parts of an observation; `pod` stands for the only pod, and the parts of an agent for the agent. */
export type ObservedParts = Omit<Partial<Observed>, 'standing' | 'pod'> &
  AgentParts & { readonly pod?: PodParts; readonly standing?: Partial<Standing> };

const HEALTHY: AgentStatus = { cycle: 1, power: 'Awake', podName: 'ada-1', nodeName: 'sparky1', tier: 'tier-0' };

/** An agent in cycle 1 whose pod runs and is connected, with differences. */
export function observedOf(differences: ObservedParts = {}): Observed {
  const { spec, status, finalizers, deletionTimestamp, pod, standing, ...parts } = differences;
  const isSame = [spec, status, finalizers, deletionTimestamp].every((part) => part === undefined);
  const own = isSame ? { status: HEALTHY } : { spec, status, finalizers, deletionTimestamp };
  const written = parts.agent ?? agentOf(own);
  const pods = parts.pods ?? [podOf('ada-1', pod)];
  const agent = { ...written, status: statusFromPods(written, pods) };
  const facts: Facts = {
    publishedTier: written.status.tier,
    nameTaken: false,
    nextCycle: (agent.status.cycle ?? 0) + 1,
    claim: claimOf(),
    tiers: [TIER_0, TIER_1, TIER_2],
    node: { name: 'sparky1', ready: true },
    volumeNode: undefined,
    pinnedNode: undefined,
    standing: standing && standingOf(standing),
    presence: { agent_id: 'ada', uid: 'ada-uid', cycle: 1, connected: true, last_seen: '2026-11-22T09:00:01.250Z' },
    apiState: 'Current',
    seat: { granted: true },
    resize: undefined,
    refusal: undefined,
    settings: SETTINGS,
    ...parts,
    agent,
    pods,
  };
  return { ...observedFrom(facts, () => 'none'), ...parts, agent, pods };
}

export const container = (parts: Partial<ContainerState>): ContainerState => ({
  running: false,
  restarts: 0,
  waitingReason: undefined,
  waitingMessage: undefined,
  lastEnd: undefined,
  outOfMemory: false,
  ...parts,
});

/** A condition in the form `TYPE STATUS REASON`. */
export function conditionOf(text: `${string} ${Condition['status']} ${string}`): Condition {
  const [type = '', status, reason = ''] = text.split(' ') as [string, Condition['status'], string];
  return { type, status, reason, message: '', lastTransitionTime: '2026-11-22T09:00:00Z' };
}

export const waiting = (waitingReason: string, waitingMessage?: string): ObservedParts => ({
  presence: undefined,
  pod: { phase: 'Pending', container: container({ waitingReason, waitingMessage }) },
});

export const unscheduled = (message: string): ObservedParts => ({
  pod: {
    nodeName: undefined,
    phase: 'Pending',
    container: undefined,
    scheduled: { status: 'False', reason: 'Unschedulable', message },
  },
});
