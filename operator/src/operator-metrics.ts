import { KubeError, type OutcomeRecord, type Recovery, type RequestRecord, type WorkQueue } from '@hamlet/kube';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Watched } from './kinds/agent/triggers.ts';
import { addGauge } from './runtime-metrics.ts';

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** What is counted, and how it is told. */
export interface OperatorMetrics {
  readonly registry: Registry;
  /** Agents worked on since the start. */
  readonly reconciles: () => number;
  /** Requests since the start that changed something, without Events and the Lease. */
  readonly writes: () => number;
  onOutcome(record: OutcomeRecord): void;
  onRequest(record: RequestRecord): void;
  onWatchFailure(kind: string, recovery: Recovery): void;
}

/** The resource of a request's path, without names: `pods`, `agents/status`. */
export function resourceOf(path: string): string {
  const [bare = ''] = path.split('?');
  const parts = bare.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const inside = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [resource = '', , subresource] = inside;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

const isWrite = ({ method, path }: RequestRecord): boolean =>
  method !== 'GET' && !['events', 'leases'].includes(resourceOf(path));

/** Counters and histograms of this process in a registry of their own. */
export function operatorMetrics(): OperatorMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const reconciles = new Counter({
    name: 'hamlet_operator_reconciles_total',
    help: 'Agents worked on, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const reconcileSeconds = new Histogram({
    name: 'hamlet_operator_reconcile_seconds',
    help: 'Time of one reconcile.',
    buckets: SECONDS,
    registers,
  });
  const requests = new Counter({
    name: 'hamlet_operator_kube_requests_total',
    help: 'Requests to the API server, by method, resource and status.',
    labelNames: ['method', 'resource', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'hamlet_operator_kube_request_seconds',
    help: 'Time to the head of the answer.',
    buckets: SECONDS,
    registers,
  });
  const watchFailures = new Counter({
    name: 'hamlet_operator_watch_failures_total',
    help: 'Lists and watches that failed, by kind and cause.',
    labelNames: ['kind', 'cause'],
    registers,
  });
  const totals = { reconciles: 0, writes: 0 };
  return {
    registry,
    reconciles: () => totals.reconciles,
    writes: () => totals.writes,
    onOutcome: ({ outcome, milliseconds }) => {
      totals.reconciles += 1;
      reconciles.inc({ outcome: outcome.kind });
      reconcileSeconds.observe(milliseconds / 1_000);
    },
    onRequest: (record) => {
      if (isWrite(record)) totals.writes += 1;
      requests.inc({ method: record.method, resource: resourceOf(record.path), status: String(record.status) });
      requestSeconds.observe(record.milliseconds / 1_000);
    },
    onWatchFailure: (kind, { cause }) => watchFailures.inc({ kind, cause }),
  };
}

type Read = (reflector: Watched[keyof Watched]) => number;

/** Gauges that are read when they are asked for. */
export function addGauges(registry: Registry, queue: WorkQueue, watched: Watched): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): void => addGauge(registry, { name, help }, read);
  const perKind = (name: string, help: string, read: Read): Gauge<'kind'> =>
    new Gauge({
      name,
      help,
      registers,
      labelNames: ['kind'],
      collect() {
        for (const [kind, reflector] of Object.entries(watched)) this.set({ kind }, read(reflector));
      },
    });
  gauge('hamlet_operator_queue_depth', 'Agents that wait for a worker.', () => queue.depth);
  gauge(
    'hamlet_operator_queue_retries',
    'Failures that were given another attempt since the start.',
    () => queue.retries,
  );
  gauge(
    'hamlet_operator_queue_longest_seconds',
    'Age of the work that goes on longest.',
    () => queue.longestMs / 1_000,
  );
  gauge('hamlet_operator_queue_delayed', 'Agents that wait for a time.', () => queue.delayed);
  perKind(
    'hamlet_operator_watch_silence_seconds',
    'Time since the API server was last heard.',
    ({ state }) => (performance.now() - state.lastHeardMs) / 1_000,
  );
  perKind('hamlet_operator_relists', 'Full lists since the start.', ({ state }) => state.relists);
  perKind('hamlet_operator_watches', 'Watches opened since the start.', ({ state }) => state.watches);
  perKind('hamlet_operator_objects', 'Objects in the cache.', ({ cache }) => cache.size);
  new Gauge({
    name: 'hamlet_operator_relists_by_cause',
    help: 'Full lists since the start, by kind and by why.',
    registers,
    labelNames: ['kind', 'cause'],
    collect() {
      for (const [kind, { state }] of Object.entries(watched)) {
        for (const [cause, count] of Object.entries<number>(state.relistsBy)) this.set({ kind, cause }, count);
      }
    },
  });
}

/** An error in a few words for the log. */
export function errorText(error: unknown): string {
  if (error instanceof KubeError) return `${error.status} ${error.reason}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
