import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** Figures that are read when somebody asks for them. */
export type GaugeReadings = Readonly<Record<string, { readonly help: string; readonly read: () => number }>>;

/** A registry with the process' own metrics. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Registers gauges that are read at each scrape. */
export function registerGauges(registry: Registry, readings: GaugeReadings): void {
  for (const [name, { help, read }] of Object.entries(readings)) {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
  }
}

/** A counter without labels. */
export function createCounter(registry: Registry, name: string, help: string): () => void {
  const counter = new Counter({ name, help, registers: [registry] });
  return () => counter.inc();
}
