/** States for tests: a healthy agent of tier-0, and what makes it different. */
import { AgentSpec, EntitlementSpec, type AgentStatus } from '@hamlet/contract/kinds';
import type { AgentView, ClaimView, Observed, OperatedSpec, PodView, Settings, TierView } from '../views.ts';

export const SETTINGS: Settings = {
  image: 'hamlet/agent:1',
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: [],
  apiUrl: 'http://hamlet-api-agents:8081',
  serviceAccount: 'hamlet-agent',
  storageClass: undefined,
  userNamespaces: 'On',
  appArmor: 'Off',
};

export function specOf(input: Readonly<Record<string, unknown>> = {}): OperatedSpec {
  const { power, rebootedAt, entitlement, memory, placement, isolation } = AgentSpec.parse(input);
  return { power, entitlement, memory, placement, isolation, ...(rebootedAt === undefined ? {} : { rebootedAt }) };
}

interface AgentParts {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: AgentStatus;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

export function agentOf({ spec, status = {}, finalizers = ['hamlet.village/account'], deletionTimestamp }: AgentParts = {}): AgentView {
  const deleted = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return {
    metadata: { name: 'ada', namespace: 'village', uid: 'ada-uid', resourceVersion: '10', generation: 1, finalizers, ...deleted },
    spec: specOf(spec),
    problem: undefined,
    status,
  };
}

export function tierOf(name: string, rank: number, minBalance = '0'): TierView {
  const limits = { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 };
  return { metadata: { name, namespace: 'village', uid: `${name}-uid`, resourceVersion: '1' }, spec: EntitlementSpec.parse({ rank, minBalance, limits }) };
}

export function podOf(name: string, parts: Partial<Omit<PodView, 'metadata'>> & { readonly deletionTimestamp?: string; readonly createdAt?: string } = {}): PodView {
  const { deletionTimestamp, createdAt = '2026-11-22T09:00:00Z', ...view } = parts;
  return {
    metadata: { name, namespace: 'village', uid: `${name}-uid`, resourceVersion: '1', creationTimestamp: createdAt, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    image: SETTINGS.image,
    nodeName: 'sparky1',
    phase: 'Running',
    scheduled: { status: 'True', reason: '', message: '' },
    container: { running: true, restarts: 0, waitingReason: undefined, waitingMessage: undefined, lastEnd: undefined },
    reason: undefined,
    message: undefined,
    ...view,
  };
}

export function claimOf(ownerUid: string | null = 'ada-uid', parts: { readonly deletionTimestamp?: string; readonly node?: string } = {}): ClaimView {
  const owner = { apiVersion: 'hamlet.village/v1alpha1', kind: 'Agent', name: 'ada', uid: ownerUid ?? '', controller: true };
  return {
    metadata: {
      name: 'ada-home',
      namespace: 'village',
      uid: 'claim-uid',
      resourceVersion: '1',
      ...(ownerUid === null ? {} : { ownerReferences: [owner] }),
      ...(parts.deletionTimestamp === undefined ? {} : { deletionTimestamp: parts.deletionTimestamp }),
      ...(parts.node === undefined ? {} : { annotations: { 'volume.kubernetes.io/selected-node': parts.node } }),
    },
  };
}

/** An agent in cycle 1 whose pod runs and is connected. */
export function observedOf(parts: Partial<Observed> = {}): Observed {
  return {
    agent: agentOf({ status: { cycle: 1, power: 'Awake', podName: 'ada-1', nodeName: 'sparky1' } }),
    pods: [podOf('ada-1')],
    nameTaken: false,
    claim: claimOf(),
    tiers: [tierOf('tier-0', 0), tierOf('tier-1', 1, '10')],
    node: { name: 'sparky1', ready: true },
    volumeNode: undefined,
    standing: undefined,
    presence: { uid: 'ada-uid', cycle: 1, connected: true, lastSeen: '2026-11-22T09:00:01.250Z' },
    apiReachable: true,
    upgrade: 'none',
    refusal: undefined,
    settings: SETTINGS,
    ...parts,
  };
}
