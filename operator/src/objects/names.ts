import { GROUP, VERSION } from '@hamlet/contract/kinds';
import type { ResourceType, StoredMeta } from '@hamlet/kube';

export const AGENTS: ResourceType = { group: GROUP, version: VERSION, plural: 'agents', kind: 'Agent' };
export const ENTITLEMENTS: ResourceType = {
  group: GROUP,
  version: VERSION,
  plural: 'entitlements',
  kind: 'Entitlement',
};
export const SCHEDULES: ResourceType = { group: GROUP, version: VERSION, plural: 'schedules', kind: 'Schedule' };

export const AGENT_LABEL = 'hamlet.village/agent';
export const ROLE_LABEL = 'hamlet.village/role';
export const AGENT_ROLE = 'agent';
export const AGENT_PART = 'hamlet-agent';
/** Label of the Services that pods of agents reach. Its value is always the same. */
export const FOR_LABEL = 'hamlet.village/for';
export const FOR_AGENTS = 'agents';
/** Annotation of a pod: the addresses of those Services, as its containers know them. */
export const HOSTS_ANNOTATION = 'hamlet.village/hosts';
/** Annotation of a pod: the tier that it was created for. A resize does not change it. */
export const TIER_ANNOTATION = 'hamlet.village/tier';
/** Annotation of a pod: the tier's compute that cannot change while the pod runs, see `fixedOf`. */
export const FIXED_ANNOTATION = 'hamlet.village/fixed-compute';
/** Annotation of a pod: the spec.rebootedAt of its cycle. */
export const REBOOTED_ANNOTATION = 'hamlet.village/rebooted-at';
/** Annotation of a pod: the node of its seat, to which it is bound. Without it, the spec or the scheduler chooses the node. */
export const SEAT_ANNOTATION = 'hamlet.village/seat';
/** Annotation of a pod: the image that the operator requested. A webhook may write another image into the container. */
export const IMAGE_ANNOTATION = 'hamlet.village/image';
/** Annotation of a pod: the image of its hands, empty without hands. A pod of an older operator lacks it. */
export const HANDS_ANNOTATION = 'hamlet.village/hands';
/** Annotation of a volume claim: the node of its volume. The scheduler sets it when it places the first pod. */
export const VOLUME_NODE_ANNOTATION = 'volume.kubernetes.io/selected-node';
export const FINALIZER = 'hamlet.village/account';
export const FIELD_MANAGER = 'hamlet-operator';

/** `NAME-CYCLE`. A deleted pod keeps its name for its grace period, so each replacement needs another name. */
export const podName = (agent: Pick<StoredMeta, 'name'>, cycle: number): string => `${agent.name}-${cycle}`;

/** The cycle in a pod's name; 0 for a name of another form. */
export function cycleInName(agent: string, pod: string): number {
  const digits = pod.startsWith(`${agent}-`) ? pod.slice(agent.length + 1) : '';
  return /^[1-9][0-9]{0,15}$/.test(digits) ? Number(digits) : 0;
}

export const claimName = (agent: Pick<StoredMeta, 'name'>): string => `${agent.name}-home`;

/** The ConfigMap of the chart. The broker writes its content. */
export const CA_CONFIG_MAP = 'hamlet-ca';
export const CA_CERTIFICATE_KEY = 'ca.crt';
/** Folder of the certificate in pods of agents (agent-image/resident/src/hands/proxy-environment.ts). */
export const CA_MOUNT_PATH = '/etc/hamlet/ca';
