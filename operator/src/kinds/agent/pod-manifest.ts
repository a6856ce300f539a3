import { API_VERSION } from '@hamlet/contract/kinds';
import { bytes } from '@hamlet/core/seats';
import type { NewObject, OwnerReference } from '@hamlet/kube';
import type { CachedAgent, OperatedSpec, TierView } from '../../objects/cached-objects.ts';
import {
  AGENT_LABEL,
  AGENT_PART,
  AGENT_ROLE,
  claimName,
  FIXED_ANNOTATION,
  HANDS_ANNOTATION,
  HOSTS_ANNOTATION,
  IMAGE_ANNOTATION,
  podName,
  REBOOTED_ANNOTATION,
  ROLE_LABEL,
  SEAT_ANNOTATION,
  TIER_ANNOTATION,
} from '../../objects/names.ts';
import { CA_CERTIFICATE_KEY, CA_CONFIG_MAP, CA_MOUNT_PATH } from '../../objects/names.ts';
import { HANDS, handsImageOf, RESIDENT, RESIDENT_RESOURCES, RESIDENT_UID } from '../../objects/hands.ts';
import { hostsText, withAddress } from '../../objects/service-hosts.ts';
import { fixedOf, isSchedulersChoice, resourceClaimsOf, resourcesOf, SCRATCH } from '../../objects/tier-compute.ts';
import type { Settings } from './facts.ts';

export const TOKEN_AUDIENCE = 'hamlet-api';
const TOKEN_LIFE_SECONDS = 3_600;
const GRACE_SECONDS = 10;
/** Seconds until Kubernetes gives up a pod on a lost node; the default is 300 s. */
const LOST_NODE_SECONDS = 60;
/**
 * A pod has no DNS, because queries could carry data out. The resident knows API and broker by address, and the broker resolves
 * all other names.
 */
const WITHOUT_DNS = { dnsPolicy: 'None', dnsConfig: { nameservers: ['127.0.0.1'] } };
/** Weight (of 100) of the seat's node if the scheduler chooses the node; the scheduler also weighs the spread. */
const SEAT_WEIGHT = 50;

/**
 * Root of a user namespace may own files, change users and bind low ports, but not create devices, send raw packets or gain other
 * capabilities.
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

/** Without user namespaces, root in the pod is root on the node: it may only bind low ports and use its own files. */
const CAPABILITIES_OF_REAL_ROOT = ['NET_BIND_SERVICE'];

/** The init container that gives the resident's folders to its user: older pods wrote them as root. */
const PREPARE = 'prepare';
const PREPARE_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'];

interface VolumePart {
  readonly subPath: string;
  readonly mountPath: string;
}

const STATE_DIR = '/var/lib/hamlet';
const RESIDENT_PARTS: readonly VolumePart[] = [
  { subPath: 'mcp-memory', mountPath: '/root/.mcp-memory' },
  { subPath: 'hamlet', mountPath: STATE_DIR },
];
const HANDS_PARTS: readonly VolumePart[] = [
  { subPath: 'workspace', mountPath: '/workspace' },
  { subPath: 'home', mountPath: '/root' },
];

/** Names of the volumes: the agent's own, its token, the socket of the hands, and the certificate of the village. */
export const VOLUMES = { own: 'home', token: 'token', socket: 'hands', certificate: 'ca' } as const;

export interface Mount {
  readonly name: (typeof VOLUMES)[keyof typeof VOLUMES];
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: true;
}

/** The program of the hands, in the agents' image and all images derived from it. */
const SUPERVISOR = 'hamlet-hands';
/** A memory volume with the socket of the hands. It survives their container, so that lost processes can be reported. */
const SOCKET_MOUNT: Mount = { name: VOLUMES.socket, mountPath: '/run/hands' };
const SOCKET_VOLUME_SIZE = '1Mi';
/** The certificate of the broker's inspection. A pod waits until the first broker has written it. */
const CA_VOLUME = {
  name: VOLUMES.certificate,
  configMap: { name: CA_CONFIG_MAP, items: [{ key: CA_CERTIFICATE_KEY, path: CA_CERTIFICATE_KEY }] },
};
const CA_MOUNT: Mount = { name: VOLUMES.certificate, mountPath: CA_MOUNT_PATH, readOnly: true };

const ofVolume = (part: VolumePart): Mount => ({ name: VOLUMES.own, ...part });

/** All mounts of each container. An admission policy refuses others, such as the workspace over the resident's program. */
export const PREPARE_MOUNTS: readonly Mount[] = RESIDENT_PARTS.map(ofVolume);
export const HANDS_MOUNTS: readonly Mount[] = [...HANDS_PARTS.map(ofVolume), SOCKET_MOUNT, CA_MOUNT];
export const RESIDENT_MOUNTS: readonly Mount[] = [
  ...PREPARE_MOUNTS,
  { name: VOLUMES.token, mountPath: '/var/run/secrets/hamlet', readOnly: true },
  { ...SOCKET_MOUNT, readOnly: true },
  CA_MOUNT,
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
      'app.kubernetes.io/name': AGENT_PART,
      'app.kubernetes.io/part-of': 'hamlet',
      [ROLE_LABEL]: AGENT_ROLE,
      [AGENT_LABEL]: metadata.name,
    },
  };
}

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

/** Variables of a resident. An admission policy refuses others, such as NODE_OPTIONS, which could make the image run something else. */
export const RESIDENT_VARIABLES = [
  'HAMLET_API_URL',
  'HAMLET_AGENT_ID',
  'HAMLET_CYCLE',
  'HAMLET_TOKEN_FILE',
  'HAMLET_WORKSPACE_DIR',
  'HAMLET_NODE_NAME',
  'HAMLET_BROKER_URL',
  'HAMLET_HANDS_SOCKET',
] as const;

interface Variable {
  readonly name: (typeof RESIDENT_VARIABLES)[number];
  readonly value?: string;
  readonly valueFrom?: object;
}

function environmentOf({ agent, cycle, settings }: PodPlan, hasHands: boolean): readonly Variable[] {
  return [
    { name: 'HAMLET_API_URL', value: withAddress(settings.apiUrl, settings.hosts) },
    { name: 'HAMLET_AGENT_ID', value: agent.metadata.name },
    { name: 'HAMLET_CYCLE', value: String(cycle) },
    { name: 'HAMLET_TOKEN_FILE', value: '/var/run/secrets/hamlet/token' },
    // The workspace belongs to the hands; the resident's runtime has the state folder.
    { name: 'HAMLET_WORKSPACE_DIR', value: STATE_DIR },
    { name: 'HAMLET_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    ...(settings.brokerUrl === undefined
      ? []
      : [{ name: 'HAMLET_BROKER_URL' as const, value: withAddress(settings.brokerUrl, settings.hosts) }]),
    ...(hasHands ? [{ name: 'HAMLET_HANDS_SOCKET' as const, value: `${SOCKET_MOUNT.mountPath}/hands.sock` }] : []),
  ];
}

function mountsOf(mounts: readonly Mount[], { settings }: PodPlan, hasHands: boolean): readonly Mount[] {
  return mounts.filter(
    ({ name }) =>
      (name !== VOLUMES.socket || hasHands) && (name !== VOLUMES.certificate || settings.brokerUrl !== undefined),
  );
}

const CONFINED = { privileged: false, allowPrivilegeEscalation: false } as const;
const DROP_ALL = { drop: ['ALL'] };

/** The resident: it has no rights, cannot change any file of its image, and does not see the agent's work. */
function residentOf(plan: PodPlan, hasHands: boolean): object {
  const { image, imagePullPolicy } = plan.settings;
  return {
    name: RESIDENT,
    image,
    imagePullPolicy,
    env: environmentOf(plan, hasHands),
    resources: RESIDENT_RESOURCES,
    volumeMounts: mountsOf(RESIDENT_MOUNTS, plan, hasHands),
    securityContext: {
      ...CONFINED,
      runAsNonRoot: true,
      runAsUser: RESIDENT_UID,
      runAsGroup: RESIDENT_UID,
      readOnlyRootFilesystem: true,
      capabilities: DROP_ALL,
    },
  };
}

/** The hands: root of the agent's machine, without the token, the journal and the memory. */
function handsOf(plan: PodPlan, image: string): object {
  const { imagePullPolicy, userNamespaces } = plan.settings;
  return {
    name: HANDS,
    image,
    imagePullPolicy,
    command: [SUPERVISOR, 'serve'],
    // The supervisor ends programs before the kubelet evicts the pod.
    env: [{ name: 'HAMLET_LAYER_BYTES', value: String(bytes(SCRATCH.limit)) }],
    workingDir: '/workspace',
    resources: resourcesOf(plan.tier),
    volumeMounts: mountsOf(HANDS_MOUNTS, plan, true),
    securityContext: {
      ...CONFINED,
      runAsUser: 0,
      capabilities: { ...DROP_ALL, add: userNamespaces === 'On' ? CAPABILITIES : CAPABILITIES_OF_REAL_ROOT },
    },
  };
}

function prepareOf({ settings: { image, imagePullPolicy } }: PodPlan): object {
  return {
    name: PREPARE,
    image,
    imagePullPolicy,
    command: [SUPERVISOR, 'own', String(RESIDENT_UID), ...RESIDENT_PARTS.map(({ mountPath }) => mountPath)],
    workingDir: '/',
    resources: RESIDENT_RESOURCES,
    volumeMounts: PREPARE_MOUNTS,
    securityContext: {
      ...CONFINED,
      runAsUser: 0,
      readOnlyRootFilesystem: true,
      capabilities: { ...DROP_ALL, add: PREPARE_CAPABILITIES },
    },
  };
}

/**
 * The kubelet starts containers in this order, and reports a pod as running once all have started. The resident is therefore
 * last, unless another image of the hands would have to be pulled first.
 */
function containersOf(plan: PodPlan): object {
  const image = handsImageOf(plan.spec, plan.settings);
  const hasHands = image !== '';
  const resident = residentOf(plan, hasHands);
  const hands = hasHands ? [handsOf(plan, image)] : [];
  return {
    initContainers: [prepareOf(plan)],
    containers: image === plan.settings.image ? [...hands, resident] : [resident, ...hands],
    volumes: volumesOf(plan, hasHands),
  };
}

const byName = (node: string): object => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] });

/**
 * The seat's node, unless the spec or the scheduler chooses the node: on any other node the pod would take another agent's room.
 * A pod whose volume is on another node waits until its seat is on that node again.
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
    ...WITHOUT_DNS,
  };
}

function volumesOf({ agent, settings }: PodPlan, hasHands: boolean): readonly object[] {
  const serviceAccountToken = { audience: TOKEN_AUDIENCE, expirationSeconds: TOKEN_LIFE_SECONDS, path: 'token' };
  return [
    { name: VOLUMES.own, persistentVolumeClaim: { claimName: claimName(agent.metadata) } },
    { name: VOLUMES.token, projected: { sources: [{ serviceAccountToken }] } },
    ...(hasHands ? [{ name: VOLUMES.socket, emptyDir: { medium: 'Memory', sizeLimit: SOCKET_VOLUME_SIZE } }] : []),
    ...(settings.brokerUrl === undefined ? [] : [CA_VOLUME]),
  ];
}

function annotationsOf(plan: PodPlan): Record<string, string> {
  const { spec, tier, settings } = plan;
  const held = heldNode(plan);
  return {
    [TIER_ANNOTATION]: tier.metadata.name,
    [FIXED_ANNOTATION]: fixedOf(tier),
    [IMAGE_ANNOTATION]: settings.image,
    [HANDS_ANNOTATION]: handsImageOf(spec, settings),
    [HOSTS_ANNOTATION]: hostsText(settings.hosts),
    'kubectl.kubernetes.io/default-container': RESIDENT,
    ...(held === undefined ? {} : { [SEAT_ANNOTATION]: held }),
    ...(spec.rebootedAt === undefined ? {} : { [REBOOTED_ANNOTATION]: spec.rebootedAt }),
  };
}

/**
 * The pod of one cycle: the resident, which alone has the token that only the api accepts, and the hands, which are root in the
 * pod's user namespace. Each sees its own folders of one volume.
 */
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
      ...containersOf(plan),
    },
  } as NewObject;
}
