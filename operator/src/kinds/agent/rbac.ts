/** What the operator may do. Plain data without imports: the chart's Role is made from it. */

/** One rule of a Role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const WATCH = ['get', 'list', 'watch'];

/** What the Agent kind needs in its namespace. No Secrets, no exec, no RBAC. */
export const ROLE_RULES: readonly Rule[] = [
  { apiGroups: ['hamlet.village'], resources: ['agents'], verbs: [...WATCH, 'patch'] },
  { apiGroups: ['hamlet.village'], resources: ['agents/status'], verbs: ['patch'] },
  // Children block their owner's deletion, which takes this right.
  { apiGroups: ['hamlet.village'], resources: ['agents/finalizers'], verbs: ['update'] },
  { apiGroups: ['hamlet.village'], resources: ['entitlements'], verbs: WATCH },
  { apiGroups: [''], resources: ['pods'], verbs: [...WATCH, 'create', 'delete'] },
  // cpu and memory of a pod that runs, and nothing else of it.
  { apiGroups: [''], resources: ['pods/resize'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...WATCH, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'update'],
    resourceNames: ['hamlet-operator'],
  },
];

/** What it needs of the cluster: whether a node is there. */
export const CLUSTER_ROLE_RULES: readonly Rule[] = [{ apiGroups: [''], resources: ['nodes'], verbs: WATCH }];
