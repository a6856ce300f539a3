import { API_VERSION } from '@hamlet/contract/kinds';
import type { NewObject, OwnerReference } from '@hamlet/kube';
import type { CachedAgent, OperatedSpec, TierView } from '../../objects/cached-objects.ts';
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
} from '../../objects/names.ts';
import { CONTAINER, fixedOf, isSchedulersChoice, resourceClaimsOf, resourcesOf } from '../../objects/tier-compute.ts';
import type { Settings } from './facts.ts';

export const TOKEN_AUDIENCE = 'hamlet-api';
const TOKEN_LIFE_SECONDS = 3_600;
const GRACE_SECONDS = 10;
/** Seconds until Kubernetes gives up a pod on a lost node; its default is 300 s. */
const LOST_NODE_SECONDS = 60;
/**
 * Repeats a DNS query after 1 s instead of 5 s, because a DNS server on a lost node still gets queries for a minute.
 * The chart does the same.
 */
const DNS_CONFIG = {
  options: [
    { name: 'timeout', value: '1' },
    { name: 'attempts', value: '4' },
  ],
};
/** Weight (of 100) of the seat's node if the scheduler chooses the node; the scheduler also weighs the spread. */
const SEAT_WEIGHT = 50;

/**
 * Root of a user namespace may own files, change users and bind low ports, but not create devices, send raw packets or
 * gain other capabilities.
 */
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
 * Without user namespaces, root in the pod is root on the node. It may bind low ports and use its own files, no more.
 */
const CAPABILITIES_OF_REAL_ROOT = ['NET_BIND_SERVICE'];

/** The directories of the agent's volume, and their mount points. */
const VOLUME_PARTS = [
  { subPath: 'workspace', mountPath: '/workspace' },
  { subPath: 'mcp-memory', mountPath: '/root/.mcp-memory' },
  { subPath: 'hamlet', mountPath: '/var/lib/hamlet' },
];

export interface PodPlan {
  readonly agent: CachedAgent;
  readonly spec: OperatedSpec;
  readonly tier: TierView;
  readonly cycle: number;
  readonly settings: Settings;
  readonly seat?: string | undefined;
}

export function childMetadata({ metadata }: CachedAgent, name: string): NewObject['metadata'] {
  return {
    name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    labels: {
      'app.kubernetes.io/name': 'hamlet-agent',
      'app.kubernetes.io/part-of': 'hamlet',
      [ROLE_LABEL]: AGENT_ROLE,
      [AGENT_LABEL]: metadata.name,
    },
  };
}

/** The owner reference by which the garbage collector deletes a child with its Agent. */
export function ownerOf({ metadata }: CachedAgent): OwnerReference {
  return {
    apiVersion: API_VERSION,
    kind: 'Agent',
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

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
 * The seat's node, unless the spec or the scheduler chooses the node: on any other node the pod would take the room of
 * another agent. A pod whose volume is on another node waits until its seat is on that node again.
 */
function heldNode({ spec, tier, seat }: PodPlan): string | undefined {
  return spec.placement.nodeName !== undefined || isSchedulersChoice(spec, tier) ? undefined : seat;
}

/** Binds the pod to the node of the spec or of its seat; if the scheduler chooses, it prefers the seat's node. */
function affinityOf(plan: PodPlan): object {
  const node = plan.spec.placement.nodeName ?? heldNode(plan);
  const affinity = (nodeAffinity: object): object => ({ affinity: { nodeAffinity } });
  if (node !== undefined)
    return affinity({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [byName(node)] } });
  if (plan.seat === undefined) return {};
  const preferred = { weight: SEAT_WEIGHT, preference: byName(plan.seat) };
  return affinity({ preferredDuringSchedulingIgnoredDuringExecution: [preferred] });
}

function placementOf(plan: PodPlan): object {
  const { placement } = plan.spec;
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: placement.spread === 'Required' ? 'DoNotSchedule' : 'ScheduleAnyway',
    // With this policy, lost and cordoned nodes do not count for the spread.
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

function volumesOf(agent: CachedAgent): readonly object[] {
  const serviceAccountToken = { audience: TOKEN_AUDIENCE, expirationSeconds: TOKEN_LIFE_SECONDS, path: 'token' };
  return [
    { name: 'home', persistentVolumeClaim: { claimName: claimName(agent.metadata) } },
    { name: 'token', projected: { sources: [{ serviceAccountToken }] } },
  ];
}

/** Facts about the pod's cycle that the status does not show until the operator has written it. */
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

/** The pod of one cycle. It has root in its own user namespace, one volume, and one token that only the api accepts. */
export function podManifest(plan: PodPlan): NewObject {
  const { agent, tier, cycle, settings } = plan;
  const { priorityClassName } = tier.spec.compute;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...childMetadata(agent, podName(agent.metadata, cycle)),
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
