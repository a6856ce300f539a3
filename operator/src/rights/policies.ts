/** Admission policies that the chart installs together with the operator. */
import { GROUP as VILLAGE_GROUP } from '@hamlet/contract/kinds';
import type { NewObject, ResourceType } from '@hamlet/kube';
import {
  HANDS_MOUNTS,
  PREPARE_MOUNTS,
  RESIDENT_MOUNTS,
  RESIDENT_VARIABLES,
  TOKEN_AUDIENCE,
  VOLUMES,
  type Mount,
} from '../kinds/agent/pod-manifest.ts';
import { AGENT_LABEL, AGENT_ROLE, CA_CONFIG_MAP, FINALIZER, ROLE_LABEL } from '../objects/names.ts';
import { AGENT_NETWORK_POLICY } from './network-policy.ts';

const GROUP = 'admissionregistration.k8s.io';

/**
 * A MutatingAdmissionPolicy (Kubernetes 1.36+) that adds the finalizer when an Agent is created. Without this policy, the
 * operator adds it.
 */
export const FINALIZER_POLICY = {
  // A failing policy must not prevent the creation of Agents.
  failurePolicy: 'Ignore',
  reinvocationPolicy: 'Never',
  matchConstraints: {
    resourceRules: [{ apiGroups: [VILLAGE_GROUP], apiVersions: ['*'], operations: ['CREATE'], resources: ['agents'] }],
  },
  // If there are other finalizers, the operator adds its own, with the resourceVersion as precondition.
  matchConditions: [{ name: 'has-no-finalizers', expression: '!has(object.metadata.finalizers)' }],
  mutations: [
    {
      patchType: 'JSONPatch',
      jsonPatch: { expression: `[JSONPatch{op: "add", path: "/metadata/finalizers", value: ["${FINALIZER}"]}]` },
    },
  ],
} as const;

const IS_THE_OPERATOR = {
  name: 'is-the-operator',
  expression: "request.userInfo.username == 'system:serviceaccount:' + request.namespace + ':hamlet-operator'",
};

const isLabelled = (object: string): string =>
  `has(${object}.metadata.labels) && '${ROLE_LABEL}' in ${object}.metadata.labels && ${object}.metadata.labels['${ROLE_LABEL}'] == '${AGENT_ROLE}'`;

const refuse = (
  message: string,
  expression: string,
): { readonly expression: string; readonly message: string; readonly reason: 'Forbidden' } => ({
  expression,
  message: `the operator ${message}`,
  reason: 'Forbidden',
});

const ADDED =
  "['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID', 'SYS_CHROOT']";
/** A CEL expression that is true unless a security context replaces a default profile of the runtime. */
const defaultProfile = (context: string, profile: 'seccompProfile' | 'appArmorProfile'): string =>
  `(!has(${context}.${profile}) || ${context}.${profile}.type == 'RuntimeDefault')`;
const CONFINED = [
  'has(c.securityContext) && has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation',
  "(!has(c.securityContext.privileged) || !c.securityContext.privileged) && (!has(c.securityContext.procMount) || c.securityContext.procMount == 'Default')",
  "has(c.securityContext.capabilities) && has(c.securityContext.capabilities.drop) && 'ALL' in c.securityContext.capabilities.drop",
  `(!has(c.securityContext.capabilities.add) || c.securityContext.capabilities.add.all(a, a in ${ADDED}))`,
  defaultProfile('c.securityContext', 'seccompProfile'),
  defaultProfile('c.securityContext', 'appArmorProfile'),
].join(' && ');
/** On a node with AppArmor the runtime confines a container without a profile by its default, so no pod may name another. */
const DEFAULT_APPARMOR = `(!has(object.spec.securityContext) || ${defaultProfile('object.spec.securityContext', 'appArmorProfile')}) && (!has(object.metadata.annotations) || object.metadata.annotations.all(k, !k.startsWith('container.apparmor.security.beta.kubernetes.io/')))`;
/**
 * The allowed volumes of a pod, each by its name: the agent's own, the token that only the api accepts, memory for a socket, and
 * the village's certificate.
 */
const OWN_VOLUME = `v.name == '${VOLUMES.own}' && has(v.persistentVolumeClaim) && v.persistentVolumeClaim.claimName == object.metadata.labels['${AGENT_LABEL}'] + '-home'`;
const OWN_TOKEN = `v.name == '${VOLUMES.token}' && has(v.projected) && v.projected.sources.all(s, has(s.serviceAccountToken) && s.serviceAccountToken.audience == '${TOKEN_AUDIENCE}')`;
const OWN_MEMORY = `v.name == '${VOLUMES.socket}' && has(v.emptyDir) && has(v.emptyDir.medium) && v.emptyDir.medium == 'Memory' && has(v.emptyDir.sizeLimit)`;
const OWN_CERTIFICATE = `v.name == '${VOLUMES.certificate}' && has(v.configMap) && v.configMap.name == '${CA_CONFIG_MAP}'`;
/**
 * An address in IPv4, or one in IPv6 that does not begin with a group of zeros. The unspecified address, loopback and the
 * addresses that stand for one in IPv4 begin so in every spelling.
 */
const ADDRESS = '[1-9][0-9]{0,2}([.][0-9]{1,3}){3}|[[][1-9a-f][0-9a-f]{0,3}:[0-9a-f:]+[]]';
/**
 * A pod resolves no name: it has no DNS server and no further hosts, and its resident gets addresses. Root in the hands can write
 * /etc/hosts of the whole pod, and would otherwise receive the token of the resident.
 */
const WITHOUT_DNS = [
  "has(object.spec.dnsPolicy) && object.spec.dnsPolicy == 'None'",
  "has(object.spec.dnsConfig) && has(object.spec.dnsConfig.nameservers) && object.spec.dnsConfig.nameservers.all(n, n == '127.0.0.1') && !has(object.spec.dnsConfig.searches)",
  '!has(object.spec.hostAliases)',
  `object.spec.containers.all(c, c.name != 'resident' || (has(c.env) && c.env.all(e, !(e.name in ['HAMLET_API_URL', 'HAMLET_BROKER_URL']) || (has(e.value) && e.value.matches('^https?://(${ADDRESS})(:[0-9]+)?/?$') && !e.value.matches('^https?://127[.]')))))`,
].join(' && ');
const STARTS_NOTHING_ELSE = [
  'command',
  'args',
  'workingDir',
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
]
  .map((field) => `!has(c.${field})`)
  .join(' && ');
const WITHOUT_RIGHTS =
  'c.securityContext.runAsNonRoot && c.securityContext.readOnlyRootFilesystem && !has(c.securityContext.capabilities.add)';
const isMount = ({ name, mountPath, subPath, readOnly }: Mount): string =>
  [
    `m.name == '${name}' && m.mountPath == '${mountPath}'`,
    subPath === undefined ? '!has(m.subPath)' : `has(m.subPath) && m.subPath == '${subPath}'`,
    ...(readOnly ? ['has(m.readOnly) && m.readOnly'] : []),
  ].join(' && ');
/** A CEL expression that is true if a container has no other mounts. */
const mountsOnly = (mounts: readonly Mount[]): string =>
  `(!has(c.volumeMounts) || c.volumeMounts.all(m, !has(m.subPathExpr) && (${mounts.map((mount) => `(${isMount(mount)})`).join(' || ')})))`;
const WITHOUT_SECRETS =
  '!has(c.envFrom) && !has(c.volumeDevices) && (!has(c.env) || c.env.all(e, !has(e.valueFrom) || has(e.valueFrom.fieldRef)))';

/** Stands for the image of the chart's values, which the chart puts in its place. */
const IMAGE_OF_AGENTS = 'IMAGE_OF_AGENTS';

/** Lets the operator create only pods of agents: a compromised one cannot mount other objects of the namespace. */
const OPERATOR_POD_POLICY = {
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['pods'] }],
  },
  matchConditions: [IS_THE_OPERATOR],
  validations: [
    refuse(
      'creates only pods of agents',
      `${isLabelled('object')} && '${AGENT_LABEL}' in object.metadata.labels && has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, o.kind == 'Agent' && o.apiVersion.startsWith('${VILLAGE_GROUP}/') && o.name == object.metadata.labels['${AGENT_LABEL}'])`,
    ),
    refuse(
      'creates only pods with the service account of agents, and without its token',
      "has(object.spec.serviceAccountName) && object.spec.serviceAccountName == 'hamlet-agent' && has(object.spec.automountServiceAccountToken) && !object.spec.automountServiceAccountToken",
    ),
    refuse(
      'creates no pods in host namespaces',
      '(!has(object.spec.hostNetwork) || !object.spec.hostNetwork) && (!has(object.spec.hostPID) || !object.spec.hostPID) && (!has(object.spec.hostIPC) || !object.spec.hostIPC)',
    ),
    refuse(
      "mounts into a pod only the agent's own volume and token, a small memory volume and the village's certificate",
      `has(object.spec.volumes) && object.spec.volumes.all(v, (${OWN_VOLUME}) || (${OWN_TOKEN}) || (${OWN_MEMORY}) || (${OWN_CERTIFICATE}))`,
    ),
    refuse('creates only pods without DNS, whose resident knows the API and the broker by address', WITHOUT_DNS),
    refuse(
      'creates only pods of a resident and at most one container for tools, and prepare as their only init container',
      "object.spec.containers.size() <= 2 && object.spec.containers.exists(c, c.name == 'resident') && object.spec.containers.all(c, c.name in ['resident', 'hands']) && has(object.spec.initContainers) && object.spec.initContainers.size() == 1 && object.spec.initContainers.all(c, c.name == 'prepare' && has(c.command) && c.command.size() > 1 && c.command[0] == 'hamlet-hands' && c.command[1] == 'own' && !has(c.args) && !has(c.restartPolicy))",
    ),
    refuse(
      'runs only the image of the village in containers that have the token of an agent',
      `object.spec.containers.all(c, c.name != 'resident' || c.image == '${IMAGE_OF_AGENTS}') && object.spec.initContainers.all(c, c.image == '${IMAGE_OF_AGENTS}')`,
    ),
    refuse(
      'starts a resident only as its image does, with the variables of the village',
      `object.spec.containers.all(c, c.name != 'resident' || (${STARTS_NOTHING_ELSE} && has(c.env) && c.env.all(e, e.name in ['${RESIDENT_VARIABLES.join("', '")}'])))`,
    ),
    refuse(
      'gives containers no data of Secrets or ConfigMaps',
      `object.spec.containers.all(c, ${WITHOUT_SECRETS}) && object.spec.initContainers.all(c, ${WITHOUT_SECRETS})`,
    ),
    refuse(
      'mounts into each container only its own folders, at their places: token and journal of an agent only into its resident',
      `object.spec.containers.all(c, c.name == 'resident' ? ${mountsOnly(RESIDENT_MOUNTS)} : ${mountsOnly(HANDS_MOUNTS)}) && object.spec.initContainers.all(c, ${mountsOnly(PREPARE_MOUNTS)})`,
    ),
    refuse(
      'creates no privileged pods',
      `object.spec.containers.all(c, ${CONFINED} && (c.name != 'resident' || (${WITHOUT_RIGHTS}))) && object.spec.initContainers.all(c, ${CONFINED}) && has(object.spec.securityContext) && has(object.spec.securityContext.seccompProfile) && object.spec.securityContext.seccompProfile.type == 'RuntimeDefault'`,
    ),
    refuse("creates no pods that replace the runtime's AppArmor profile", DEFAULT_APPARMOR),
  ],
} as const;

/** Lets the operator change only volume claims with the role label of agents, and create no copies of other volumes. */
const OPERATOR_CLAIM_POLICY = {
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [''],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: ['persistentvolumeclaims'],
      },
    ],
  },
  matchConditions: [IS_THE_OPERATOR],
  validations: [
    refuse(
      'changes only volume claims of agents',
      `(oldObject == null || (${isLabelled('oldObject')})) && (object == null || (${isLabelled('object')}))`,
    ),
    refuse(
      'creates only empty volumes',
      "request.operation != 'CREATE' || (!has(object.spec.dataSource) && !has(object.spec.dataSourceRef) && (!has(object.spec.volumeName) || object.spec.volumeName == ''))",
    ),
  ],
} as const;

/** A CEL expression that is true if both have the same images and no additional container. */
const sameImages = (list: string): string =>
  `(!has(object.spec.${list}) || object.spec.${list}.all(c, oldObject.spec.${list}.exists(o, o.name == c.name && o.image == c.image)))`;

/** Prevents everyone else from creating agents' pods, changing them, and adding debug containers. */
const AGENT_POD_POLICY = {
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [
      { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
      { apiGroups: [''], apiVersions: ['*'], operations: ['UPDATE'], resources: ['pods/ephemeralcontainers'] },
    ],
  },
  matchConditions: [
    {
      name: 'is-of-an-agent',
      expression: `(${isLabelled('object')}) || (has(object.spec.serviceAccountName) && object.spec.serviceAccountName == 'hamlet-agent') || (oldObject != null && (${isLabelled('oldObject')}))`,
    },
  ],
  validations: [
    {
      expression: `request.operation != 'CREATE' || ${IS_THE_OPERATOR.expression}`,
      message: 'only the operator makes pods of agents, from Agents: apply an Agent',
      reason: 'Forbidden',
    },
    {
      expression: "!has(request.subResource) || request.subResource != 'ephemeralcontainers'",
      message:
        'a pod of an agent gets no further container, which could read its token: use kubectl exec, with -c hands for its tools',
      reason: 'Forbidden',
    },
    {
      // Network policies and the village identify a pod by these labels.
      expression: `request.operation != 'UPDATE' || ['${ROLE_LABEL}', '${AGENT_LABEL}'].all(l, has(oldObject.metadata.labels) && has(object.metadata.labels) && l in oldObject.metadata.labels && l in object.metadata.labels && oldObject.metadata.labels[l] == object.metadata.labels[l])`,
      message: "the labels that identify an agent's pod cannot change",
      reason: 'Forbidden',
    },
    {
      expression: `request.operation != 'UPDATE' || (${sameImages('containers')} && ${sameImages('initContainers')})`,
      message:
        'the images of a running agent cannot change: change the Agent or the village, and the operator makes a new pod',
      reason: 'Forbidden',
    },
  ],
} as const;

interface PolicyObject {
  readonly type: ResourceType;
  readonly object: NewObject;
}

function policyObject([plural, kind]: readonly [string, string], name: string, spec: object): PolicyObject {
  return {
    type: { group: GROUP, version: 'v1', plural, kind },
    object: { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec } as NewObject,
  };
}

const resourcesOf = (namespace: string): object => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
});

/** The finalizer policy for one namespace, as the chart installs it, for tests without helm. */
export function finalizerPolicy(namespace: string): readonly PolicyObject[] {
  const name = `hamlet-agent-finalizer.${namespace}`;
  const binding = { policyName: name, matchResources: resourcesOf(namespace) };
  return [
    policyObject(['mutatingadmissionpolicies', 'MutatingAdmissionPolicy'], name, FINALIZER_POLICY),
    policyObject(['mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding'], name, binding),
  ];
}

export const OPERATOR_POLICIES = {
  pods: OPERATOR_POD_POLICY,
  claims: OPERATOR_CLAIM_POLICY,
  agents: AGENT_POD_POLICY,
  networks: AGENT_NETWORK_POLICY,
} as const;

/** The operator's policies for one namespace and image, as the chart installs them, for tests without helm. */
export function operatorPolicies(namespace: string, image: string): readonly PolicyObject[] {
  const policies = JSON.parse(JSON.stringify(OPERATOR_POLICIES).replaceAll(IMAGE_OF_AGENTS, image));
  return Object.entries(policies as Readonly<Record<string, object>>).flatMap(([what, spec]) => {
    const name = `hamlet-operator-${what}.${namespace}`;
    const binding = { policyName: name, validationActions: ['Deny'], matchResources: resourcesOf(namespace) };
    return [
      policyObject(['validatingadmissionpolicies', 'ValidatingAdmissionPolicy'], name, spec),
      policyObject(['validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'], name, binding),
    ];
  });
}
