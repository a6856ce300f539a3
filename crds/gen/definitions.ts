import { Agent, Entitlement, Schedule } from '@hamlet/contract/kinds';
import type { KindDefinition } from './custom-resource-definition.ts';

const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;

/** The three kinds, with what `kubectl get` shows of each. */
export const DEFINITIONS: readonly KindDefinition[] = [
  {
    kind: 'Agent',
    plural: 'agents',
    shortName: 'ag',
    schema: Agent,
    columns: [
      { name: 'Power', type: 'string', jsonPath: '.spec.power' },
      { name: 'Tier', type: 'string', jsonPath: '.status.tier' },
      { name: 'Node', type: 'string', jsonPath: '.status.nodeName' },
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
      AGE,
      { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
    ],
  },
  {
    kind: 'Entitlement',
    plural: 'entitlements',
    shortName: 'ent',
    schema: Entitlement,
    columns: [
      { name: 'Rank', type: 'integer', jsonPath: '.spec.rank' },
      { name: 'Balance', type: 'string', jsonPath: '.spec.minBalance' },
      { name: 'Cpu', type: 'string', jsonPath: '.spec.compute.resources.cpu' },
      { name: 'Memory', type: 'string', jsonPath: '.spec.compute.resources.memory' },
      { name: 'Gpu', type: 'string', jsonPath: '.spec.compute.gpu.mode' },
      AGE,
    ],
  },
  {
    kind: 'Schedule',
    plural: 'schedules',
    shortName: 'sch',
    schema: Schedule,
    columns: [
      { name: 'Agent', type: 'string', jsonPath: '.spec.agentName' },
      { name: 'Every', type: 'string', jsonPath: '.spec.every' },
      { name: 'Cron', type: 'string', jsonPath: '.spec.cron' },
      { name: 'Daily', type: 'string', jsonPath: '.spec.dailyAt' },
      { name: 'Zone', type: 'string', jsonPath: '.spec.timeZone' },
      AGE,
    ],
  },
];
