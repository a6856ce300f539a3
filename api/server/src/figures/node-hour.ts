import { NodeUsage, type NodeFigures } from '@hamlet/contract';
import { z } from 'zod';

const FIELDS = [
  'cpu_cores',
  'memory_bytes',
  'disk_bytes',
  'received_per_s',
  'sent_per_s',
  'gpu_percent',
  'cpu_pressure_percent',
  'memory_pressure_percent',
] as const satisfies readonly Exclude<keyof NodeUsage, 'at'>[];
/** Time in ms, then the fields. */
const Point = z.tuple([z.number()], z.number().nullable());

const usedOf = (total: number | null, available: number | null): number | null =>
  total === null || available === null ? null : Math.max(0, total - available);

/** The point of a collection in the hour of its node; null if the collection could not read the node. */
export function nodeUsage({ at, problem, cpu, memory, disk, network, gpus }: NodeFigures): NodeUsage | null {
  if (at === null || problem !== null) return null;
  const busy = gpus.flatMap(({ busy_percent: percent }) => (percent === null ? [] : [percent]));
  return {
    at,
    cpu_cores: cpu.used_cores,
    memory_bytes: usedOf(memory.total_bytes, memory.available_bytes),
    disk_bytes: usedOf(disk.total_bytes, disk.available_bytes),
    received_per_s: network.received_per_s,
    sent_per_s: network.sent_per_s,
    gpu_percent: busy.length === 0 ? null : Math.max(...busy),
    cpu_pressure_percent: cpu.pressure_percent,
    memory_pressure_percent: memory.pressure_percent,
  };
}

/** An array, because an hour of a node has 240 of them. */
export const nodePointOf = (usage: NodeUsage): string =>
  JSON.stringify([Date.parse(usage.at), ...FIELDS.map((field) => usage[field])]);

export function nodeUsageOf(text: string): NodeUsage {
  const [atMs, ...values] = Point.parse(JSON.parse(text));
  const named = FIELDS.map((field, index) => [field, values[index] ?? null] as const);
  return NodeUsage.parse({ at: new Date(atMs).toISOString(), ...Object.fromEntries(named) });
}
