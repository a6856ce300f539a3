import { collectDefaultMetrics, Counter, Gauge, Registry, Histogram } from 'prom-client';

type GaugeReadings = Readonly<Record<string, { readonly help: string; readonly read: () => number }>>;

export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

export function registerGauges(registry: Registry, readings: GaugeReadings): void {
  for (const [name, { help, read }] of Object.entries(readings)) {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
  }
}

export function createCounter(registry: Registry, name: string, help: string): () => void {
  const counter = new Counter({ name, help, registers: [registry] });
  return () => counter.inc();
}

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createHttpMetrics(registry: Registry) {
  const duration = new Histogram({
    name: 'hamlet_http_request_seconds',
    help: 'Time from request to the end of its answer, by route and status',
    labelNames: ['route', 'status'],
    buckets: BUCKETS_S,
    registers: [registry],
  });
  const outside = new Counter({
    name: 'hamlet_http_answers_outside_contract_total',
    help: 'Answers that do not match their schema; must stay 0',
    labelNames: ['route'],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'hamlet_model_refusals_total',
    help: 'Model requests that were refused, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    modelRefused: (reason: string) => refusals.inc({ reason }),
    observe: (route: string, status: number, durationMs: number) =>
      duration.observe({ route, status: String(status) }, durationMs / 1_000),
    answerOutsideContract: (route: string) => outside.inc({ route }),
  };
}

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;
