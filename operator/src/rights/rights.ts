/** The rights of the operator. Plain data without imports, because the chart's Roles are generated from it. */

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const WATCH = ['get', 'list', 'watch'];

/** Rights in the village's namespace. They include no Secrets, no exec and no RBAC. */
const ROLE: readonly Rule[] = [
  { apiGroups: ['hamlet.village'], resources: ['agents'], verbs: [...WATCH, 'patch'] },
  { apiGroups: ['hamlet.village'], resources: ['agents/status'], verbs: ['patch'] },
  // The operator sets `blockOwnerDeletion` in the owner references of pods and volume claims, which needs this right.
  { apiGroups: ['hamlet.village'], resources: ['agents/finalizers'], verbs: ['update'] },
  { apiGroups: ['hamlet.village'], resources: ['entitlements'], verbs: WATCH },
  { apiGroups: [''], resources: ['pods'], verbs: [...WATCH, 'create', 'delete'] },
  // This right allows only changes of cpu and memory of a running pod.
  { apiGroups: [''], resources: ['pods/resize'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...WATCH, 'create', 'patch', 'delete'] },
  // The addresses of the Services that agents reach.
  { apiGroups: [''], resources: ['services'], verbs: WATCH },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'update'],
    resourceNames: ['hamlet-operator'],
  },
  { apiGroups: ['hamlet.village'], resources: ['entitlements/status'], verbs: ['patch'] },
  { apiGroups: ['hamlet.village'], resources: ['schedules'], verbs: WATCH },
  { apiGroups: ['hamlet.village'], resources: ['schedules/status'], verbs: ['patch'] },
];

/** Read-only rights in the cluster: nodes, the pods of all namespaces, which take their room, and volumes, which may be local. */
const CLUSTER_ROLE: readonly Rule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: WATCH },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['persistentvolumes'], verbs: WATCH },
];

export const RIGHTS = { role: ROLE, clusterRole: CLUSTER_ROLE };
