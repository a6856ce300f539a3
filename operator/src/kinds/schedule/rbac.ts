/** What the Schedule kind needs in its namespace, beside what the Agent kind has (Events, the Lease). Plain data: the chart's Role is made from it. */
import type { Rule } from '../agent/rbac.ts';

export const SCHEDULE_ROLE_RULES: readonly Rule[] = [
  { apiGroups: ['hamlet.village'], resources: ['schedules'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['hamlet.village'], resources: ['schedules/status'], verbs: ['patch'] },
];
