export { Environment, settingsOf } from './config.ts';
export { ROLE_RULES, CLUSTER_ROLE_RULES, type Rule } from './kinds/agent/rbac.ts';
export type { Settings } from './kinds/agent/views.ts';
export { operatorMetrics, type OperatorMetrics } from './operator-metrics.ts';
export { Operator, type OperatorOptions } from './operator.ts';
export { villageClient } from './village/village-client.ts';
