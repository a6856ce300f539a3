import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId } from '../../values/scalars.ts';

/** Interval at which the API collects figures, in seconds. */
export const FIGURES_EVERY_S = 15;
/** Points of one agent or node that the API keeps: an hour. */
export const FIGURES_KEPT = 240;

const Amount = z.number().min(0);
const Bytes = Amount.describe('Bytes');
const BytesPerSecond = Amount.nullable().describe('Bytes a second; null until two readings exist');
const Cores = Amount.nullable().describe('CPU cores in use; null until two readings exist');
const Pressure = z
  .number()
  .min(0)
  .max(100)
  .nullable()
  .describe('Percent of the last minute in which some work waited for it (PSI); null if the node does not measure it');

export const GpuFigures = z.strictObject({
  id: z.string().describe('Number or UUID of the device'),
  model: z.string().nullable(),
  busy_percent: z.number().min(0).max(100).nullable(),
  memory_used_bytes: Bytes.nullable().describe('Null if the GPU shares the memory of its node'),
  memory_total_bytes: Bytes.nullable(),
  temperature_celsius: z.number().nullable(),
  power_watts: Amount.nullable(),
  agent_ids: z.array(AgentId).describe('Agents whose pods hold the device'),
});
export type GpuFigures = z.infer<typeof GpuFigures>;

export const NodeUser = z.strictObject({
  kind: z
    .enum(['agent', 'village', 'namespace'])
    .describe('An agent, another pod of the village, or all pods of another namespace together'),
  name: z.string(),
  cpu_cores: Cores,
  memory_bytes: Bytes,
});
export type NodeUser = z.infer<typeof NodeUser>;

const NODE_PROBLEMS = ['unreachable', 'untrusted', 'forbidden', 'unreadable'] as const;

export const NodeFigures = z.strictObject({
  name: z.string(),
  ready: z.boolean(),
  at: z.iso.datetime().nullable().describe('Real time of the last reading; null if none has succeeded'),
  problem: z
    .strictObject({ reason: z.enum(NODE_PROBLEMS), fix: z.string() })
    .nullable()
    .describe('The reason why the last reading failed'),
  cpu: z.strictObject({ cores: Amount, used_cores: Cores, pressure_percent: Pressure }),
  memory: z.strictObject({
    total_bytes: Bytes,
    available_bytes: Bytes.nullable(),
    source: z
      .enum(['kernel', 'kubelet'])
      .describe(
        'kernel: MemAvailable, which counts memory of the GPU too; kubelet: its own count, which may miss that memory',
      ),
    pressure_percent: Pressure,
  }),
  disk: z.strictObject({
    total_bytes: Bytes.nullable(),
    available_bytes: Bytes.nullable(),
    pressure_percent: Pressure,
  }),
  network: z.strictObject({ received_per_s: BytesPerSecond, sent_per_s: BytesPerSecond }),
  temperature_celsius: z.number().nullable().describe('The warmest sensor of the machine; null if none is known'),
  gpus: z.array(GpuFigures),
  pods: z.int().min(0),
  users: z.array(NodeUser).describe('The largest users of memory, at most 24'),
});
export type NodeFigures = z.infer<typeof NodeFigures>;

const ShortNode = z.strictObject({
  node: z.string(),
  since: z.iso.datetime().describe('Real time since which the node is short of memory and gives agents no seats'),
  paused: z.array(AgentId).describe('Agents that have no pod until it recovers'),
});

const usage = {
  at: z.iso.datetime().describe('Real time of the reading'),
  cpu_cores: Cores,
  memory_bytes: Bytes.describe('Bytes that cannot be reclaimed (working set)'),
  disk_bytes: Bytes.describe('Bytes of the files of its containers and of its volumes'),
  received_per_s: BytesPerSecond,
  sent_per_s: BytesPerSecond,
  gpu_percent: z.number().min(0).max(100).nullable().describe('Its busiest GPU; null without one'),
} as const;

export const AgentUsage = z.strictObject(usage);
export type AgentUsage = z.infer<typeof AgentUsage>;
export const NodeUsage = z.strictObject({
  ...usage,
  memory_bytes: Bytes.nullable().describe('Bytes that are not available; null if not known'),
  disk_bytes: Bytes.nullable().describe('Bytes of the disk in use; null if not known'),
  cpu_pressure_percent: Pressure,
  memory_pressure_percent: Pressure,
});
export type NodeUsage = z.infer<typeof NodeUsage>;
export const AgentFigures = z.strictObject({ agent_id: AgentId, node: z.string(), ...usage });
export type AgentFigures = z.infer<typeof AgentFigures>;

const ofFigures = { tag: 'agents', permission: 'figures:read', audiences: ['people'] } as const;

export const listNodeFigures = defineRoute('listNodeFigures GET /figures/nodes', {
  ...ofFigures,
  summary: 'Use of cpu, memory, disk, network and GPU of each node, with pressure, and who uses it',
  answer: json(z.strictObject({ nodes: z.array(NodeFigures), shortages: z.array(ShortNode) })),
});

export const getNodeFigures = defineRoute('getNodeFigures GET /figures/nodes/{node}', {
  ...ofFigures,
  summary: 'Use of one node in the last hour, oldest first; empty if the node was not read in that hour',
  params: z.strictObject({
    node: z
      .string()
      .max(253)
      .regex(/^[a-z0-9][a-z0-9.-]*$/),
  }),
  answer: json(z.strictObject({ node: z.string(), points: z.array(NodeUsage).max(FIGURES_KEPT) })),
});

export const listAgentFigures = defineRoute('listAgentFigures GET /figures/agents', {
  ...ofFigures,
  summary: 'Use of cpu, memory, disk, network and GPU of each agent that runs',
  answer: json(z.strictObject({ agents: z.array(AgentFigures) })),
});

export const getAgentFigures = defineRoute('getAgentFigures GET /figures/agents/{agent_id}', {
  ...ofFigures,
  summary: 'Use of one agent in the last hour, oldest first',
  answer: json(z.strictObject({ agent_id: AgentId, points: z.array(AgentUsage).max(FIGURES_KEPT) })),
  reasons: ['no_such_agent'],
});
