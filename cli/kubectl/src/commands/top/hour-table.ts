import type { NodeUsage } from '@hamlet/contract';
import { listed } from '../../table.ts';
import { printable } from '../../talk/printable.ts';
import { cores, mebibytes, percent, rate } from './top-tables.ts';

/** The last hour of a node, oldest first. */
export interface NodeHour {
  readonly node: string;
  readonly points: readonly NodeUsage[];
}

/** Each character stands for five minutes. */
const BUCKET_MS = 300_000;
const BUCKETS = 12;
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

type Field = Exclude<keyof NodeUsage, 'at'>;
type Row = readonly [name: string, field: Field, label: (value: number | null) => string];
const ROWS: readonly Row[] = [
  ['cpu', 'cpu_cores', cores],
  ['memory', 'memory_bytes', mebibytes],
  ['disk', 'disk_bytes', mebibytes],
  ['received', 'received_per_s', rate],
  ['sent', 'sent_per_s', rate],
  ['gpu', 'gpu_percent', percent],
  ['waits cpu', 'cpu_pressure_percent', percent],
  ['waits memory', 'memory_pressure_percent', percent],
];

/** The largest value of each five minutes until `nowMs` as a bar from zero; a space where nothing was read. */
function barsOf({ points }: NodeHour, field: Field, nowMs: number): string {
  const buckets = Array.from({ length: BUCKETS }, (): number | null => null);
  for (const point of points) {
    const at = BUCKETS - 1 - Math.floor((nowMs - Date.parse(point.at)) / BUCKET_MS);
    const [value, known] = [point[field], buckets[at]];
    if (value !== null && known !== undefined) buckets[at] = Math.max(known ?? 0, value);
  }
  const most = Math.max(0, ...buckets.map((value) => value ?? 0));
  return buckets
    .map((value) => (value === null ? ' ' : BARS[most === 0 ? 0 : Math.round((value / most) * (BARS.length - 1))]))
    .join('');
}

/** One line for each figure of a node that something measured in the hour until `nowMs`. Pure. */
export function hourTable(hours: readonly NodeHour[], nowMs: number): string {
  const lines = hours.flatMap((hour) =>
    ROWS.flatMap(([name, field, label]) => {
      const values = hour.points.map((point) => point[field]).filter((value) => value !== null);
      if (values.length === 0) return [];
      return [{ node: hour.node, name, hour: barsOf(hour, field, nowMs), values, label }];
    }),
  );
  return listed(lines, 'no figures: the api has read no node in the last hour, or figures are off', {
    NODE: ({ node }) => printable(node),
    FIGURE: ({ name }) => name,
    'LAST HOUR': ({ hour }) => `|${hour}|`,
    LAST: ({ values, label }) => label(values.at(-1) ?? null),
    MOST: ({ values, label }) => label(Math.max(...values)),
  });
}
