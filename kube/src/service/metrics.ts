/** Names and values of labels. */
export type Labels = Readonly<Record<string, string>>;

interface Metric {
  text(): string;
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function series(name: string, labels: Labels): string {
  const inner = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
  return inner.length === 0 ? name : `${name}{${inner.join(',')}}`;
}

/** A number that only grows, one for each set of labels. */
export class Counter implements Metric {
  readonly #name: string;
  readonly #values = new Map<string, number>();

  constructor(name: string) {
    this.#name = name;
  }

  add(labels: Labels = {}, by = 1): void {
    const key = series(this.#name, labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  /** The sum over all labels. */
  get total(): number {
    return [...this.#values.values()].reduce((sum, value) => sum + value, 0);
  }

  text(): string {
    return [...this.#values].map(([key, value]) => `${key} ${value}\n`).join('');
  }
}

/** Counts of what took at most so many seconds. */
export class Histogram implements Metric {
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(name: string, bounds: readonly number[]) {
    this.#name = name;
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    this.#bounds.forEach((bound, index) => {
      if (value <= bound) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    });
  }

  text(): string {
    const buckets = this.#bounds.map((bound, index) => `${series(`${this.#name}_bucket`, { le: String(bound) })} ${this.#counts[index] ?? 0}\n`);
    const last = `${series(`${this.#name}_bucket`, { le: '+Inf' })} ${this.#count}\n`;
    return `${buckets.join('')}${last}${this.#name}_sum ${this.#sum}\n${this.#name}_count ${this.#count}\n`;
  }
}

/** Prometheus' text format, nothing more: prom-client would cost the operator 18 MB of memory. */
export class Metrics {
  readonly #metrics: { readonly head: string; readonly metric: Metric }[] = [];

  counter(name: string, help: string): Counter {
    return this.#register(name, help, { type: 'counter', metric: new Counter(name) });
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.#register(name, help, { type: 'histogram', metric: new Histogram(name, bounds) });
  }

  /** A number that is looked up when it is asked for; a list gives one for each set of labels. */
  gauge(name: string, help: string, read: () => number | readonly (readonly [Labels, number])[]): void {
    const text = (): string => {
      const value = read();
      const list: readonly (readonly [Labels, number])[] = typeof value === 'number' ? [[{}, value]] : value;
      return list.map(([labels, number]) => `${series(name, labels)} ${number}\n`).join('');
    };
    this.#register(name, help, { type: 'gauge', metric: { text } });
  }

  text(): string {
    return this.#metrics.map(({ head, metric }) => head + metric.text()).join('');
  }

  #register<M extends Metric>(name: string, help: string, { type, metric }: { readonly type: string; readonly metric: M }): M {
    this.#metrics.push({ head: `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`, metric });
    return metric;
  }
}
