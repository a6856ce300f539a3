/** What counting seats takes. Plain data: the chart's Roles are made from it. */
import type { Rule } from '../agent/rbac.ts';

export const ENTITLEMENT_ROLE_RULES: readonly Rule[] = [
  { apiGroups: ['hamlet.village'], resources: ['entitlements/status'], verbs: ['patch'] },
];

/** Pods of all namespaces, because they take room on the same nodes. They are read, never written. */
export const ENTITLEMENT_CLUSTER_ROLE_RULES: readonly Rule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
];
