import type { NodeFigures, NodeUser } from '@hamlet/contract';
import type { Tone } from '../../ui/controls.tsx';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `640 MiB`, `1.5 GiB`: with one decimal below ten. */
export function bytesLabel(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`;
}

export const rateLabel = (bytesPerSecond: number): string => `${bytesLabel(bytesPerSecond)}/s`;

/** `0.25 cores`, `1 core`, `12 cores`. */
export function coresLabel(cores: number): string {
  const text = cores >= 10 ? String(Math.round(cores)) : String(Number(cores.toFixed(2)));
  return `${text} ${text === '1' ? 'core' : 'cores'}`;
}

export const percentLabel = (percent: number): string => `${Math.round(percent)} %`;

/** A label, or `Not known` for a figure that nothing measures. */
export const known = (value: number | null, label: (value: number) => string): string =>
  value === null ? 'Not known' : label(value);

/** The rates of a network: `9.0 KiB/s received, 1.0 MiB/s sent`, without a rate that nothing measures. */
export function networkLabel({ received_per_s: received, sent_per_s: sent }: NodeFigures['network']): string {
  const rates = [
    ...(received === null ? [] : [`${rateLabel(received)} received`]),
    ...(sent === null ? [] : [`${rateLabel(sent)} sent`]),
  ];
  return rates.length === 0 ? 'Not known' : rates.join(', ');
}

/** Bytes of memory in use, as far as known. */
export function usedBytes({
  total_bytes: total,
  available_bytes: available,
}: {
  readonly total_bytes: number | null;
  readonly available_bytes: number | null;
}): number | null {
  return total === null || available === null ? null : Math.max(0, total - available);
}

export interface Finding {
  readonly tone: Exclude<Tone, 'sleep'>;
  readonly text: string;
}

/** People notice that work waits from these percents of a minute on. */
const WAITS = { cpu: 25, memory: 10, disk: 25 } as const;
const FREE_PERCENT = 10;
const HOT_CELSIUS = 85;

type NameOf = (agentId: string) => string;

function largestUser(users: readonly NodeUser[], nameOf: NameOf): string {
  const [user] = users;
  if (user === undefined) return '';
  const names = { agent: nameOf(user.name), village: user.name, namespace: `the namespace ${user.name}` } as const;
  return `; ${names[user.kind]} uses the most, ${bytesLabel(user.memory_bytes)}`;
}

const waitingFor = (percent: number | null, from: number, what: string): readonly Finding[] =>
  percent === null || percent < from
    ? []
    : [{ tone: 'bad', text: `Work waited for ${what} in ${percentLabel(percent)} of the last minute` }];

function memoryFindings({ memory, users }: NodeFigures, nameOf: NameOf): readonly Finding[] {
  const { total_bytes: total, available_bytes: available } = memory;
  const isLow = available !== null && available * 100 < total * FREE_PERCENT;
  const low: Finding = { tone: 'waiting', text: `Only ${bytesLabel(available ?? 0)} of memory is left` };
  const found = [...waitingFor(memory.pressure_percent, WAITS.memory, 'memory'), ...(isLow ? [low] : [])];
  return found.map(({ tone, text }, at) => ({ tone, text: at === 0 ? `${text}${largestUser(users, nameOf)}` : text }));
}

function diskFindings({ disk }: NodeFigures): readonly Finding[] {
  const { total_bytes: total, available_bytes: available } = disk;
  const waits = waitingFor(disk.pressure_percent, WAITS.disk, 'the disk');
  if (total === null || available === null || available * 100 >= total * FREE_PERCENT) return waits;
  return [...waits, { tone: 'waiting', text: `Only ${bytesLabel(available)} of the disk is left` }];
}

const heatFindings = ({ gpus }: NodeFigures): readonly Finding[] =>
  gpus.flatMap(({ temperature_celsius: heat }) =>
    heat === null || heat < HOT_CELSIUS
      ? []
      : [{ tone: 'waiting', text: `The GPU is at ${Math.round(heat)} °C and slows down to cool` }],
  );

/** The reasons why a node is slow, the worst first; one calm line if none is known. */
export function findingsOf(node: NodeFigures, nameOf: NameOf): readonly Finding[] {
  const found: readonly Finding[] = [
    ...(node.ready ? [] : [{ tone: 'bad', text: 'The node is not ready: Kubernetes starts no pods on it' } as const]),
    ...(node.problem === null ? [] : [{ tone: 'bad', text: node.problem.fix } as const]),
    ...memoryFindings(node, nameOf),
    ...waitingFor(node.cpu.pressure_percent, WAITS.cpu, 'the processor'),
    ...diskFindings(node),
    ...heatFindings(node),
  ];
  return found.length > 0 ? found : [{ tone: 'good', text: 'Nothing is short' }];
}
