import { API_VERSION } from '@hamlet/contract/kinds';
import type { NewObject, OwnerReference } from '@hamlet/kube';
import { CONTAINER, fixedOf, resourceClaimsOf, resourcesOf } from './compute.ts';
import {
  AGENT_LABEL,
  AGENT_ROLE,
  claimName,
  FIXED_ANNOTATION,
  IMAGE_ANNOTATION,
  podName,
  REBOOTED_ANNOTATION,
  ROLE_LABEL,
  SEAT_ANNOTATION,
  TIER_ANNOTATION,
  type AgentView,
  type OperatedSpec,
  type Settings,
  type TierView,
} from '../views.ts';

export const TOKEN_AUDIENCE = 'hamlet-api';
const TOKEN_LIFE_SECONDS = 3_600;
const GRACE_SECONDS = 10;
/** How long a pod stays on a node that does not answer; Kubernetes' own default is 300 s. */
const LOST_NODE_SECONDS = 60;
/** Asks another time after a second, not after five: a DNS server on a lost node still gets its share of the questions for about a minute. The chart has the same. */
const DNS_CONFIG = {
  options: [
    { name: 'timeout', value: '1' },
    { name: 'attempts', value: '4' },
  ],
};
/** Of 100, what the node of its seat counts for a pod that may be put elsewhere, beside the spread. */
const WISH_WEIGHT = 50;

/** Root of a user namespace may own files, change users and bind low ports; it may not make devices, raw packets or capabilities. */
const CAPABILITIES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
  'SYS_CHROOT',
];

/**
 * Root in the pod is root of the node where there are no user namespaces: it may bind low ports, and has no say over files, users or processes of others.
 * What it owns it can still read and write.
 */
const CAPABILITIES_OF_REAL_ROOT = ['NET_BIND_SERVICE'];

/** Where the parts of the one volume appear in the pod. */
const VOLUME_PARTS = [
  { subPath: 'workspace', mountPath: '/workspace' },
  { subPath: 'mcp-memory', mountPath: '/root/.mcp-memory' },
  { subPath: 'hamlet', mountPath: '/var/lib/hamlet' },
];

/** What a pod is made of. */
export interface PodPlan {
  readonly agent: AgentView;
  readonly spec: OperatedSpec;
  readonly tier: TierView;
  readonly cycle: number;
  readonly settings: Settings;
  /** Where its seat was counted. */
  readonly seat?: string | undefined;
}

const labelsOf = (agent: AgentView): Record<string, string> => ({
  'app.kubernetes.io/name': 'hamlet-agent',
  'app.kubernetes.io/part-of': 'hamlet',
  [ROLE_LABEL]: AGENT_ROLE,
  [AGENT_LABEL]: agent.metadata.name,
});

/** The reference that lets Kubernetes' garbage collector remove a child with its Agent. */
export function ownerOf({ metadata }: AgentView): OwnerReference {
  return {
    apiVersion: API_VERSION,
    kind: 'Agent',
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The volume claim of an Agent. It has no owner under `memory.retain: Retain`. */
export function claimManifest(agent: AgentView, spec: OperatedSpec, settings: Settings): NewObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(agent.metadata),
      ...inNamespaceOf(agent),
      labels: labelsOf(agent),
      ...(spec.memory.retain === 'Delete' ? { ownerReferences: [ownerOf(agent)] } : {}),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: spec.memory.size } },
      ...(settings.storageClass === undefined ? {} : { storageClassName: settings.storageClass }),
    },
  } as NewObject;
}

const inNamespaceOf = ({ metadata }: AgentView): { namespace?: string } =>
  metadata.namespace === undefined ? {} : { namespace: metadata.namespace };

function environmentOf({ agent, cycle, settings }: PodPlan): readonly object[] {
  return [
    { name: 'HAMLET_API_URL', value: settings.apiUrl },
    { name: 'HAMLET_AGENT_ID', value: agent.metadata.name },
    { name: 'HAMLET_CYCLE', value: String(cycle) },
    { name: 'HAMLET_TOKEN_FILE', value: '/var/run/secrets/hamlet/token' },
    { name: 'HAMLET_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ];
}

function containerOf(plan: PodPlan): object {
  return {
    name: CONTAINER,
    image: plan.settings.image,
    imagePullPolicy: plan.settings.imagePullPolicy,
    env: environmentOf(plan),
    resources: resourcesOf(plan.tier),
    volumeMounts: [
      ...VOLUME_PARTS.map((part) => ({ name: 'home', ...part })),
      { name: 'token', mountPath: '/var/run/secrets/hamlet', readOnly: true },
    ],
    securityContext: {
      privileged: false,
      allowPrivilegeEscalation: false,
      runAsUser: 0,
      capabilities: {
        drop: ['ALL'],
        add: plan.settings.userNamespaces === 'On' ? CAPABILITIES : CAPABILITIES_OF_REAL_ROOT,
      },
    },
  };
}

const byName = (node: string): object => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] });

/**
 * The node of its seat, where the pod may be put there only: on another it would take room that the seats have given to another agent. That holds for
 * the node of its volume too: a pod whose volume cannot follow waits, and takes nothing, until its seat is there again. The scheduler keeps the last
 * word where it knows more than the seats do: which node has a device of a claim, a runtime class or an even spread.
 */
function heldNode({ spec: { placement, isolation }, tier, seat }: PodPlan): string | undefined {
  const isSchedulers =
    placement.spread === 'Required' ||
    isolation.runtimeClassName !== undefined ||
    tier.spec.compute.gpu.claimTemplateName !== undefined;
  return isSchedulers || placement.nodeName !== undefined ? undefined : seat;
}

/** The one node that the spec names, or the one where the seat was counted. */
function affinityOf(plan: PodPlan): object {
  const {
    spec: { placement },
    seat,
  } = plan;
  const node = placement.nodeName ?? heldNode(plan);
  if (node !== undefined)
    return {
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [byName(node)] } },
      },
    };
  if (seat === undefined) return {};
  return {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: WISH_WEIGHT, preference: byName(seat) }],
      },
    },
  };
}

function placementOf(plan: PodPlan): object {
  const { placement } = plan.spec;
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: placement.spread === 'Required' ? 'DoNotSchedule' : 'ScheduleAnyway',
    // A node that is lost or cordoned is no place to be even with.
    nodeTaintsPolicy: 'Honor',
    labelSelector: { matchLabels: { [ROLE_LABEL]: AGENT_ROLE } },
  };
  return {
    ...(placement.spread === 'None' ? {} : { topologySpreadConstraints: [spread] }),
    ...affinityOf(plan),
    tolerations: ['not-ready', 'unreachable'].map((taint) => ({
      key: `node.kubernetes.io/${taint}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: LOST_NODE_SECONDS,
    })),
  };
}

function isolationOf({ spec, settings }: PodPlan): object {
  const { runtimeClassName } = spec.isolation;
  return {
    ...(settings.userNamespaces === 'On' ? { hostUsers: false } : {}),
    ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
    securityContext: {
      seccompProfile: { type: 'RuntimeDefault' },
      ...(settings.appArmor === 'RuntimeDefault' ? { appArmorProfile: { type: 'RuntimeDefault' } } : {}),
    },
    serviceAccountName: settings.serviceAccount,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    dnsConfig: DNS_CONFIG,
  };
}

function volumesOf(agent: AgentView): readonly object[] {
  const serviceAccountToken = { audience: TOKEN_AUDIENCE, expirationSeconds: TOKEN_LIFE_SECONDS, path: 'token' };
  return [
    { name: 'home', persistentVolumeClaim: { claimName: claimName(agent.metadata) } },
    { name: 'token', projected: { sources: [{ serviceAccountToken }] } },
  ];
}

/** What proves, of a pod, the cycle that it stands for: the status is written after it. */
function annotationsOf(plan: PodPlan): Record<string, string> {
  const { spec, tier, settings } = plan;
  const held = heldNode(plan);
  return {
    [TIER_ANNOTATION]: tier.metadata.name,
    [FIXED_ANNOTATION]: fixedOf(tier),
    [IMAGE_ANNOTATION]: settings.image,
    ...(held === undefined ? {} : { [SEAT_ANNOTATION]: held }),
    ...(spec.rebootedAt === undefined ? {} : { [REBOOTED_ANNOTATION]: spec.rebootedAt }),
  };
}

/** The pod of one cycle: root in a user namespace of its own, one volume, one token that only the api takes. */
export function podManifest(plan: PodPlan): NewObject {
  const { agent, tier, cycle, settings } = plan;
  const { priorityClassName } = tier.spec.compute;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(agent.metadata, cycle),
      ...inNamespaceOf(agent),
      labels: labelsOf(agent),
      annotations: annotationsOf(plan),
      ownerReferences: [ownerOf(agent)],
    },
    spec: {
      ...isolationOf(plan),
      ...placementOf(plan),
      ...(priorityClassName === undefined ? {} : { priorityClassName }),
      ...(settings.imagePullSecrets.length === 0
        ? {}
        : { imagePullSecrets: settings.imagePullSecrets.map((name) => ({ name })) }),
      ...resourceClaimsOf(tier),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: GRACE_SECONDS,
      containers: [containerOf(plan)],
      volumes: volumesOf(agent),
    },
  } as NewObject;
}
