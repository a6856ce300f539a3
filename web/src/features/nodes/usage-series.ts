import type { NodeUsage } from '@hamlet/contract';
import { bytesLabel, coresLabel, percentLabel, rateLabel } from './figure-labels.ts';

interface UsageLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** One small chart: its lines share an axis that begins at zero. */
export interface UsageChart {
  readonly title: string;
  readonly label: (value: number) => string;
  /** The value at the top of the axis; the chart chooses one if it is null. */
  readonly top: number | null;
  readonly lines: readonly UsageLine[];
}

type Field = Exclude<keyof NodeUsage, 'at'>;
/** A reading of an agent or of a node, at a real time. */
export type UsagePoint = Pick<NodeUsage, 'at'> & Readonly<Partial<Record<Field, number | null>>>;

const CHARTS: readonly (Omit<UsageChart, 'lines'> & { readonly fields: Readonly<Partial<Record<Field, string>>> })[] = [
  { title: 'Processor', label: coresLabel, top: null, fields: { cpu_cores: 'In use' } },
  { title: 'Memory', label: bytesLabel, top: null, fields: { memory_bytes: 'In use' } },
  { title: 'Disk', label: bytesLabel, top: null, fields: { disk_bytes: 'In use' } },
  { title: 'Network', label: rateLabel, top: null, fields: { received_per_s: 'Received', sent_per_s: 'Sent' } },
  { title: 'GPU', label: percentLabel, top: 100, fields: { gpu_percent: 'Busy' } },
  {
    title: 'Work that waited',
    label: percentLabel,
    top: 100,
    fields: { cpu_pressure_percent: 'For the processor', memory_pressure_percent: 'For memory' },
  },
];

/** The charts of the last hour of an agent or a node. A chart whose figure nothing measures is left out. */
export function usageCharts(points: readonly UsagePoint[]): readonly UsageChart[] {
  return CHARTS.map(({ fields, ...chart }) => ({
    ...chart,
    lines: (Object.entries(fields) as [Field, string][]).map(([field, name]) => ({
      name,
      values: points.map((point) => point[field] ?? null),
    })),
  })).filter(({ lines }) => lines.some(({ values }) => values.some((value) => value !== null)));
}

/** A gap from this length on, in seconds, breaks a line: no reading arrived in it. */
const GAP_S = 60;

/** Seconds of the points, with one further point without values in each gap, so that no line crosses it. */
export function withGaps(
  points: readonly UsagePoint[],
  chart: UsageChart,
): readonly [times: readonly number[], ...lines: readonly (readonly (number | null)[])[]] {
  const times: number[] = [];
  const lines: (number | null)[][] = chart.lines.map(() => []);
  points.forEach(({ at }, index) => {
    const seconds = Date.parse(at) / 1_000;
    const last = times.at(-1);
    if (last !== undefined && seconds - last > GAP_S) {
      times.push(last + 1);
      for (const line of lines) line.push(null);
    }
    times.push(seconds);
    lines.forEach((line, at) => void line.push(chart.lines[at]?.values[index] ?? null));
  });
  return [times, ...lines];
}

/** `Received now 2 KiB/s, at most 40 KiB/s`: the text beside a chart says what it shows. */
export function usageText({ lines, label }: UsageChart): string {
  const texts = lines.map(({ name, values }) => {
    const measured = values.filter((value) => value !== null);
    const now = measured.at(-1);
    if (now === undefined) return `${name}: not known`;
    return `${name} now ${label(now)}, at most ${label(Math.max(...measured))}`;
  });
  return texts.join('; ');
}
