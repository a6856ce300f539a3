import { AgentFigures, NodeFigures, type GpuFigures } from '@hamlet/contract';
import { z } from 'zod';
import type { GpuReading } from './sources/dcgm.ts';
import type { HostReading } from './sources/host-reading.ts';
import type { NodeReading } from './sources/kubelets.ts';
import type { PodReading, SummaryReading } from './sources/kubelet-summary.ts';
import { Meter, nextMeter, ratesOf } from './meters.ts';
import { usersOf, type KnownPod } from './node-users.ts';

/** Everything that one collection has read. */
export interface Readings {
  readonly nodes: readonly NodeReading[];
  readonly gpus: readonly GpuReading[];
  /** By the name of the node. */
  readonly hosts: ReadonlyMap<string, HostReading>;
}

export interface Residents {
  readonly namespace: string;
  /** The agent of a pod, by the node that Kubernetes gave the pod and its name. A kubelet can name only pods of its own node. */
  readonly agentOf: (node: string, pod: string) => string | undefined;
}

/** The state of all figures after a collection; the next one computes rates from its meters. */
export const Snapshot = z.strictObject({
  nodes: z.array(NodeFigures),
  agents: z.array(AgentFigures),
  meters: z.record(z.string(), Meter),
});
export type Snapshot = z.infer<typeof Snapshot>;

export const NO_FIGURES: Snapshot = { nodes: [], agents: [], meters: {} };

const nodeKey = (name: string): string => `node/${name}`;
const podKey = ({ uid }: PodReading): string => `pod/${uid}`;

function metersOf(nodes: readonly NodeReading[], before: Snapshot['meters']): Record<string, Meter> {
  const meters: Record<string, Meter> = {};
  for (const { name, summary } of nodes) {
    if (summary === null) continue;
    const counted = [[nodeKey(name), summary] as const, ...summary.pods.map((pod) => [podKey(pod), pod] as const)];
    for (const [key, counters] of counted) meters[key] = nextMeter(counters, before[key]);
  }
  return meters;
}

/** Agents that hold a device: the labels of its exporter name pods of this village. */
const holders = ({ node, pods }: GpuReading, { namespace, agentOf }: Residents): readonly string[] =>
  pods.flatMap((pod) => (pod.namespace === namespace ? (agentOf(node, pod.name) ?? []) : []));

const gpuFigures = (gpu: GpuReading, residents: Residents): GpuFigures => ({
  id: gpu.id,
  model: gpu.model,
  busy_percent: gpu.busyPercent,
  memory_used_bytes: gpu.memoryUsedBytes,
  memory_total_bytes: gpu.memoryTotalBytes,
  temperature_celsius: gpu.temperatureCelsius,
  power_watts: gpu.powerWatts,
  agent_ids: [...holders(gpu, residents)],
});

/** The kernel's own count wins, because the kubelet counts the memory of cgroups, and a GPU driver takes memory outside of them. */
function memoryOf({ memoryBytes, summary }: NodeReading, host: HostReading | undefined): NodeFigures['memory'] {
  const kubelets = summary?.memoryPressure ?? null;
  if (host !== undefined)
    return {
      total_bytes: host.totalBytes,
      available_bytes: host.availableBytes,
      source: 'kernel',
      pressure_percent: host.memoryPressure ?? kubelets,
    };
  return {
    total_bytes: memoryBytes,
    available_bytes: summary?.memoryAvailableBytes ?? null,
    source: 'kubelet',
    pressure_percent: kubelets,
  };
}

interface NodeParts {
  readonly host: HostReading | undefined;
  readonly gpus: readonly GpuFigures[];
  readonly pods: readonly KnownPod[];
  readonly rates: ReturnType<typeof ratesOf>;
  readonly at: string;
}

const pressureOf = (host: HostReading | undefined, summary: SummaryReading | null) => ({
  cpu: host?.cpuPressure ?? summary?.cpuPressure ?? null,
  disk: host?.ioPressure ?? summary?.ioPressure ?? null,
});

const diskOf = (summary: SummaryReading | null): Omit<NodeFigures['disk'], 'pressure_percent'> => ({
  total_bytes: summary?.diskTotalBytes ?? null,
  available_bytes: summary?.diskAvailableBytes ?? null,
});

function nodeFigures(node: NodeReading, { host, gpus, pods, rates, at }: NodeParts): NodeFigures {
  const { name, ready, cores, summary, problem } = node;
  const pressure = pressureOf(host, summary);
  return {
    name,
    ready,
    at: summary === null ? null : at,
    problem,
    cpu: { cores, used_cores: rates.cpuCores, pressure_percent: pressure.cpu },
    memory: memoryOf(node, host),
    disk: { ...diskOf(summary), pressure_percent: pressure.disk },
    network: { received_per_s: rates.receivedPerS, sent_per_s: rates.sentPerS },
    temperature_celsius: host?.temperatureCelsius ?? null,
    gpus: [...gpus],
    pods: pods.length,
    users: usersOf(pods),
  };
}

/** After a failed reading, the page shows the last figures with their time, and with the kernel's present count of memory. */
function kept(fresh: NodeFigures, last: NodeFigures | undefined): NodeFigures {
  if (fresh.problem === null || last === undefined) return fresh;
  const { ready, problem, gpus, temperature_celsius, memory } = fresh;
  return { ...last, ready, problem, gpus, temperature_celsius, ...(memory.source === 'kernel' ? { memory } : {}) };
}

const busiest = (gpus: readonly GpuFigures[], agentId: string): number | null =>
  gpus
    .filter(({ agent_ids }) => agent_ids.includes(agentId))
    .reduce<number | null>((most, { busy_percent: busy }) => (busy === null ? most : Math.max(most ?? 0, busy)), null);

function agentFigures(
  { pod, agentId, rates }: KnownPod & { readonly agentId: string },
  { node, gpus, at }: { readonly node: string; readonly gpus: readonly GpuFigures[]; readonly at: string },
): AgentFigures {
  return {
    agent_id: agentId,
    node,
    at,
    cpu_cores: rates.cpuCores,
    memory_bytes: pod.memoryBytes,
    disk_bytes: pod.diskBytes,
    received_per_s: rates.receivedPerS,
    sent_per_s: rates.sentPerS,
    gpu_percent: busiest(gpus, agentId),
  };
}

/** The figures after `readings`, with rates since `before`. */
export function stepFigures(
  before: Snapshot,
  readings: Readings,
  { residents, at }: { readonly residents: Residents; readonly at: string },
): Snapshot {
  const { namespace, agentOf } = residents;
  const meters = metersOf(readings.nodes, before.meters);
  const agents: AgentFigures[] = [];
  const nodes = readings.nodes.map((node) => {
    const { name, summary } = node;
    const gpus = readings.gpus.filter((gpu) => gpu.node === name).map((gpu) => gpuFigures(gpu, residents));
    const pods = (summary?.pods ?? []).map((pod): KnownPod => {
      const isVillage = pod.namespace === namespace;
      const agentId = isVillage ? agentOf(name, pod.name) : undefined;
      return { pod, isVillage, agentId, rates: ratesOf(meters[podKey(pod)]) };
    });
    for (const { agentId, ...known } of pods)
      if (agentId !== undefined) agents.push(agentFigures({ ...known, agentId }, { node: name, gpus, at }));
    const parts = { host: readings.hosts.get(name), gpus, pods, rates: ratesOf(meters[nodeKey(name)]), at };
    return kept(
      nodeFigures(node, parts),
      before.nodes.find((last) => last.name === name),
    );
  });
  return { nodes, agents, meters };
}
