import { CLUSTER_ROLE_RULES, ROLE_RULES, type Rule } from './kinds/agent/rbac.ts';
import { ENTITLEMENT_CLUSTER_ROLE_RULES, ENTITLEMENT_ROLE_RULES } from './kinds/entitlement/rbac.ts';
import { SCHEDULE_ROLE_RULES } from './kinds/schedule/rbac.ts';

/** Everything that the operator may do, in its namespace and in the cluster: what the chart grants it. */
export const RIGHTS: { readonly role: readonly Rule[]; readonly clusterRole: readonly Rule[] } = {
  role: [...ROLE_RULES, ...ENTITLEMENT_ROLE_RULES, ...SCHEDULE_ROLE_RULES],
  clusterRole: [...CLUSTER_ROLE_RULES, ...ENTITLEMENT_CLUSTER_ROLE_RULES],
};
