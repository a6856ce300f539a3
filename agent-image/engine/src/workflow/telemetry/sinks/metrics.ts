/**
 * Maximum number of values of one label of a metric. Further ones count as `other`, because a monitor keeps a series
 * for each value.
 */
const MAX_VALUES = 100;
const OTHER = 'other';

/** Upper bounds of the buckets of durations, in seconds. */
const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];

type Labels = Readonly<Record<string, string>>;
/** A label without a value is empty. */
type GivenLabels = Readonly<Record<string, string | null>>;
type Series = { readonly labels: Labels; value: number; readonly buckets: number[]; count: number };

/** `name`: without the prefix of all metrics. */
export type MetricDefinition = Readonly<{
  name: string;
  type: 'counter' | 'histogram';
  help: string;
  labels: readonly string[];
}>;

/** Counters and histograms in the text format of Prometheus (version 0.0.4). Mutable: it is a register of counts. */
export class Metrics {
  readonly #prefix: string;
  readonly #definitions: ReadonlyMap<string, MetricDefinition>;
  readonly #series = new Map<string, Map<string, Series>>();
  readonly #values = new Map<string, Set<string>>();

  constructor(prefix: string, definitions: readonly MetricDefinition[]) {
    this.#prefix = prefix;
    this.#definitions = new Map(definitions.map((each) => [each.name, each]));
  }

  count(name: string, labels: GivenLabels, by = 1): void {
    this.#seriesOf(name, labels).value += by;
  }

  /** Counts a duration in a histogram. */
  observe(name: string, labels: GivenLabels, seconds: number): void {
    const series = this.#seriesOf(name, labels);
    series.value += seconds;
    series.count += 1;
    SECONDS.forEach((bound, index) => {
      if (seconds <= bound) series.buckets[index] = (series.buckets[index] ?? 0) + 1;
    });
  }

  text(): string {
    return [...this.#definitions.values()].map((each) => this.#textOf(each)).join('');
  }

  #textOf({ name: short, type, help }: MetricDefinition): string {
    const name = `${this.#prefix}${short}`;
    const series = [...(this.#series.get(short)?.values() ?? [])];
    const lines = series.flatMap((each) =>
      type === 'counter' ? [lineOf(name, each.labels, each.value)] : linesOf(name, each),
    );
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
  }

  #seriesOf(name: string, given: GivenLabels): Series {
    const names = this.#definitions.get(name)?.labels ?? [];
    const labels = Object.fromEntries(
      names.map((label) => [label, this.#valueOf(`${name} ${label}`, given[label] ?? '')]),
    );
    const all = this.#series.get(name) ?? new Map<string, Series>();
    this.#series.set(name, all);
    const key = JSON.stringify(labels);
    const known = all.get(key) ?? { labels, value: 0, buckets: SECONDS.map(() => 0), count: 0 };
    all.set(key, known);
    return known;
  }

  #valueOf(label: string, value: string): string {
    const known = this.#values.get(label) ?? new Set();
    this.#values.set(label, known);
    if (!known.has(value) && known.size >= MAX_VALUES) return OTHER;
    known.add(value);
    return value;
  }
}

function linesOf(name: string, { labels, value, buckets, count }: Series): readonly string[] {
  const bounded = SECONDS.map((bound, index) =>
    lineOf(`${name}_bucket`, { ...labels, le: String(bound) }, buckets[index] ?? 0),
  );
  return [
    ...bounded,
    lineOf(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    lineOf(`${name}_sum`, labels, value),
    lineOf(`${name}_count`, labels, count),
  ];
}

function lineOf(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

const escaped = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
