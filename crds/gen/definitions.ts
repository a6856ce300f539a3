import { Agent, Entitlement, Schedule } from '@hamlet/contract/kinds';
import type { KindDefinition } from './custom-resource-definition.ts';

const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;

/** The three kinds with their columns in `kubectl get`. */
export const DEFINITIONS: readonly KindDefinition[] = [
  {
    kind: 'Agent',
    plural: 'agents',
    shortName: 'ag',
    schema: Agent,
    columns: [
      // spec.power may be absent, so the column shows this condition's reason, which is the effective power.
      { name: 'Power', type: 'string', jsonPath: '.status.conditions[?(@.type=="Suspended")].reason' },
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
      { name: 'Seats', type: 'integer', jsonPath: '.status.seats.total' },
      { name: 'Free', type: 'integer', jsonPath: '.status.seats.free' },
      { name: 'Agents', type: 'integer', jsonPath: '.status.agents' },
      AGE,
      { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Derived")].message', priority: 1 },
    ],
  },
  {
    kind: 'Schedule',
    plural: 'schedules',
    shortName: 'sch',
    schema: Schedule,
    columns: [
      { name: 'Schedule', type: 'string', jsonPath: '.status.timing' },
      { name: 'Agent', type: 'string', jsonPath: '.spec.agentName' },
      { name: 'Suspended', type: 'string', jsonPath: '.status.conditions[?(@.type=="Suspended")].status' },
      { name: 'Last', type: 'date', jsonPath: '.status.lastRunAt' },
      // The type is string, because kubectl prints a future date as invalid.
      { name: 'Next', type: 'string', jsonPath: '.status.nextRunAt' },
      { name: 'Active', type: 'integer', jsonPath: '.status.activeRuns' },
      AGE,
      { name: 'Missed', type: 'integer', jsonPath: '.status.missed', priority: 1 },
      { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Active")].message', priority: 1 },
    ],
  },
];
