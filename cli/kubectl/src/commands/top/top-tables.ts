import type { AgentFigures, NodeFigures } from '@hamlet/contract';
import { listed } from '../../table.ts';
import { printable } from '../../talk/printable.ts';

const MIB = 2 ** 20;
const KIB = 1_024;

export const cores = (value: number | null): string => (value === null ? '-' : `${Math.round(value * 1_000)}m`);
export const mebibytes = (value: number | null): string => (value === null ? '-' : `${Math.round(value / MIB)}Mi`);
export const rate = (value: number | null): string => (value === null ? '-' : `${Math.round(value / KIB)}Ki/s`);
export const percent = (value: number | null): string => (value === null ? '-' : `${Math.round(value)}%`);
const share = (part: number | null, total: number): number | null =>
  part === null || total === 0 ? null : (part / total) * 100;

const usedMemory = ({ memory }: NodeFigures): number | null =>
  memory.available_bytes === null ? null : memory.total_bytes - memory.available_bytes;
const largest = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((most, value) => (value === null ? most : Math.max(most ?? 0, value)), null);
const busiestGpu = ({ gpus }: NodeFigures): number | null => largest(gpus.map(({ busy_percent: busy }) => busy));
const heat = ({ gpus, temperature_celsius: own }: NodeFigures): number | null =>
  largest([own, ...gpus.map(({ temperature_celsius: celsius }) => celsius)]);
const traffic = ({ received_per_s: received, sent_per_s: sent }: AgentFigures): number | null =>
  received === null && sent === null ? null : (received ?? 0) + (sent ?? 0);

type Order<T> = Readonly<Record<string, (item: T) => number | string | null>>;

/** The fields that a table may be sorted by: numbers with the largest first, names by the alphabet. */
export const NODE_ORDERS = {
  name: ({ name }) => name,
  cpu: ({ cpu }) => cpu.used_cores,
  memory: usedMemory,
  gpu: busiestGpu,
} as const satisfies Order<NodeFigures>;

export const AGENT_ORDERS = {
  name: ({ agent_id: id }) => id,
  cpu: ({ cpu_cores: used }) => used,
  memory: ({ memory_bytes: bytes }) => bytes,
  disk: ({ disk_bytes: bytes }) => bytes,
  network: traffic,
  gpu: ({ gpu_percent: busy }) => busy,
} as const satisfies Order<AgentFigures>;

function compared(a: number | string | null, b: number | string | null): number {
  if (typeof a === 'string' || typeof b === 'string') return String(a).localeCompare(String(b));
  return (b ?? -1) - (a ?? -1);
}

const sorted = <T>(items: readonly T[], by: Order<T>[string]): readonly T[] =>
  items.toSorted((a, b) => compared(by(a), by(b)));

export const nodesTable = (nodes: readonly NodeFigures[], order: keyof typeof NODE_ORDERS): string =>
  listed(sorted(nodes, NODE_ORDERS[order]), 'no figures: the api has read no node yet, or figures are off', {
    NODE: ({ name }) => printable(name),
    STATE: ({ ready, problem }) => problem?.reason ?? (ready ? 'Ready' : 'NotReady'),
    CPU: ({ cpu }) => cores(cpu.used_cores),
    'CPU%': ({ cpu }) => percent(share(cpu.used_cores, cpu.cores)),
    MEMORY: (node) => mebibytes(usedMemory(node)),
    'MEMORY%': (node) => percent(share(usedMemory(node), node.memory.total_bytes)),
    FREE: ({ memory }) => mebibytes(memory.available_bytes),
    'WAITS(CPU/MEM/IO)': ({ cpu, memory, disk }) =>
      [cpu, memory, disk].map(({ pressure_percent: waits }) => percent(waits)).join('/'),
    GPU: (node) => percent(busiestGpu(node)),
    HEAT: (node) => (heat(node) === null ? '-' : `${Math.round(heat(node) ?? 0)}C`),
    POWER: ({ gpus }) =>
      gpus.length === 0 ? '-' : `${Math.round(gpus.reduce((sum, gpu) => sum + (gpu.power_watts ?? 0), 0))}W`,
    PODS: ({ pods }) => pods,
  });

export const agentsTable = (agents: readonly AgentFigures[], order: keyof typeof AGENT_ORDERS): string =>
  listed(sorted(agents, AGENT_ORDERS[order]), 'no figures: no agent runs, or the api has read no node yet', {
    AGENT: ({ agent_id: id }) => printable(id),
    NODE: ({ node }) => printable(node),
    CPU: ({ cpu_cores: used }) => cores(used),
    MEMORY: ({ memory_bytes: bytes }) => mebibytes(bytes),
    DISK: ({ disk_bytes: bytes }) => mebibytes(bytes),
    RECEIVED: ({ received_per_s: bytes }) => rate(bytes),
    SENT: ({ sent_per_s: bytes }) => rate(bytes),
    GPU: ({ gpu_percent: busy }) => percent(busy),
  });
