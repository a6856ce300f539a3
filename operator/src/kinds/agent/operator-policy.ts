import { API_VERSION } from '@hamlet/contract/kinds';
import type { NewObject, ResourceType } from '@hamlet/kube';
import { TOKEN_AUDIENCE } from './child/manifests.ts';
import { AGENT_LABEL, AGENT_ROLE, ROLE_LABEL } from './views.ts';

const GROUP = 'admissionregistration.k8s.io';
const [AGENTS_GROUP] = API_VERSION.split('/');

/** The operator of the namespace that the request is for. */
const IS_THE_OPERATOR = {
  name: 'is-the-operator',
  expression: "request.userInfo.username == 'system:serviceaccount:' + request.namespace + ':hamlet-operator'",
};

/** Whether `object` carries the label of what belongs to an agent. */
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
/** Of the container, by what it is run with. */
const CONFINED = [
  'has(c.securityContext) && has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation',
  "(!has(c.securityContext.privileged) || !c.securityContext.privileged) && (!has(c.securityContext.procMount) || c.securityContext.procMount == 'Default')",
  "has(c.securityContext.capabilities) && has(c.securityContext.capabilities.drop) && 'ALL' in c.securityContext.capabilities.drop",
  `(!has(c.securityContext.capabilities.add) || c.securityContext.capabilities.add.all(a, a in ${ADDED}))`,
].join(' && ');
/** The volume of the agent itself, and the token that only the api takes: no Secret, no folder of the node, no volume of anybody else. */
const OWN_VOLUME = `has(v.persistentVolumeClaim) && v.persistentVolumeClaim.claimName == object.metadata.labels['${AGENT_LABEL}'] + '-home'`;
const OWN_TOKEN = `has(v.projected) && v.projected.sources.all(s, has(s.serviceAccountToken) && s.serviceAccountToken.audience == '${TOKEN_AUDIENCE}')`;

/** The pods that the operator may make: those of agents, as it makes them. A compromised operator can mount nothing of others. */
export const OPERATOR_POD_POLICY = {
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['pods'] }],
  },
  matchConditions: [IS_THE_OPERATOR],
  validations: [
    refuse(
      'makes pods of agents only',
      `${isLabelled('object')} && '${AGENT_LABEL}' in object.metadata.labels && has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, o.kind == 'Agent' && o.apiVersion.startsWith('${AGENTS_GROUP}/') && o.name == object.metadata.labels['${AGENT_LABEL}'])`,
    ),
    refuse(
      'makes pods with the service account of agents only, and without its token',
      "has(object.spec.serviceAccountName) && object.spec.serviceAccountName == 'hamlet-agent' && has(object.spec.automountServiceAccountToken) && !object.spec.automountServiceAccountToken",
    ),
    refuse(
      'makes no pods in the namespaces of a node',
      '(!has(object.spec.hostNetwork) || !object.spec.hostNetwork) && (!has(object.spec.hostPID) || !object.spec.hostPID) && (!has(object.spec.hostIPC) || !object.spec.hostIPC)',
    ),
    refuse(
      "mounts into a pod the agent's own volume and token, and nothing else",
      `has(object.spec.volumes) && object.spec.volumes.all(v, (${OWN_VOLUME}) || (${OWN_TOKEN}))`,
    ),
    refuse(
      'makes pods of one container that gets nothing of a Secret or a ConfigMap',
      'object.spec.containers.size() == 1 && !has(object.spec.initContainers) && object.spec.containers.all(c, !has(c.envFrom) && !has(c.volumeDevices) && (!has(c.env) || c.env.all(e, !has(e.valueFrom) || has(e.valueFrom.fieldRef))))',
    ),
    refuse(
      'makes no privileged pods',
      `object.spec.containers.all(c, ${CONFINED}) && has(object.spec.securityContext) && has(object.spec.securityContext.seccompProfile) && object.spec.securityContext.seccompProfile.type == 'RuntimeDefault'`,
    ),
  ],
} as const;

/** The volume claims that the operator may touch: those that carry the label of agents, and none that is a copy of another. */
export const OPERATOR_CLAIM_POLICY = {
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
      'touches volume claims of agents only',
      `(oldObject == null || (${isLabelled('oldObject')})) && (object == null || (${isLabelled('object')}))`,
    ),
    refuse(
      'makes empty volumes only',
      "request.operation != 'CREATE' || (!has(object.spec.dataSource) && !has(object.spec.dataSourceRef) && (!has(object.spec.volumeName) || object.spec.volumeName == ''))",
    ),
  ],
} as const;

/** Both policies for one namespace, as the chart installs them, for who has no helm. */
export function operatorPolicies(
  namespace: string,
): readonly { readonly type: ResourceType; readonly object: NewObject }[] {
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
  const part = (
    plural: string,
    kind: string,
    { name, spec }: { readonly name: string; readonly spec: object },
  ): { readonly type: ResourceType; readonly object: NewObject } => ({
    type: { group: GROUP, version: 'v1', plural, kind },
    object: { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec } as NewObject,
  });
  return Object.entries({ pods: OPERATOR_POD_POLICY, claims: OPERATOR_CLAIM_POLICY }).flatMap(([what, spec]) => {
    const name = `hamlet-operator-${what}.${namespace}`;
    return [
      part('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', { name, spec }),
      part('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', {
        name,
        spec: { policyName: name, validationActions: ['Deny'], matchResources },
      }),
    ];
  });
}
