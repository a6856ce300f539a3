import { API_VERSION } from '@hamlet/contract/kinds';
import type { NewObject, ResourceType } from '@hamlet/kube';
import { FINALIZER } from './views.ts';

const GROUP = 'admissionregistration.k8s.io';
const [AGENTS_GROUP] = API_VERSION.split('/');

/**
 * Of a MutatingAdmissionPolicy (Kubernetes 1.36 and newer): an Agent is stored with its finalizer from the first moment,
 * and the operator need not write it. Where the policy is not there, or was passed over, the operator does.
 */
export const FINALIZER_POLICY = {
  // Whether an Agent can be made shall not hang on it.
  failurePolicy: 'Ignore',
  reinvocationPolicy: 'Never',
  matchConstraints: {
    resourceRules: [{ apiGroups: [AGENTS_GROUP], apiVersions: ['*'], operations: ['CREATE'], resources: ['agents'] }],
  },
  // A list that is there is somebody's: the operator adds to it by version.
  matchConditions: [{ name: 'has-no-finalizers', expression: '!has(object.metadata.finalizers)' }],
  mutations: [
    {
      patchType: 'JSONPatch',
      jsonPatch: { expression: `[JSONPatch{op: "add", path: "/metadata/finalizers", value: ["${FINALIZER}"]}]` },
    },
  ],
} as const;

/** The policy for the Agents of one namespace, as the chart installs it, for who has no helm. */
export function finalizerPolicy(
  namespace: string,
): readonly { readonly type: ResourceType; readonly object: NewObject }[] {
  const name = `hamlet-agent-finalizer.${namespace}`;
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
  const part = (
    plural: string,
    kind: string,
    spec: object,
  ): { readonly type: ResourceType; readonly object: NewObject } => ({
    type: { group: GROUP, version: 'v1', plural, kind },
    object: { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec } as NewObject,
  });
  return [
    part('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', FINALIZER_POLICY),
    part('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', { policyName: name, matchResources }),
  ];
}
