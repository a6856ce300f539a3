import type { Elector, LoopWatch, OutcomeRecord, Recovery, RequestRecord, WorkQueue } from '@hamlet/kube';
import { KubeError } from '@hamlet/kube';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Watched } from './objects/watched.ts';

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

export interface OperatorMetrics {
  readonly registry: Registry;
  readonly reconciles: () => number;
  /** Number of write requests since the start, without those for Events and the Lease. */
  readonly writes: () => number;
  onOutcome(record: OutcomeRecord): void;
  onRequest(record: RequestRecord): void;
  onWatchFailure(kind: string, recovery: Recovery): void;
}

/** The resource in a request's path, without names: `pods`, `agents/status`. */
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

export function operatorMetrics(): OperatorMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers });
  const seconds = (name: string, help: string): Histogram => new Histogram({ name, help, buckets: SECONDS, registers });
  const reconciles = counter('hamlet_operator_reconciles_total', 'Reconciles of Agents, by outcome.', ['outcome']);
  const reconcileSeconds = seconds('hamlet_operator_reconcile_seconds', 'Time of one reconcile.');
  const requests = counter(
    'hamlet_operator_kube_requests_total',
    'Requests to the API server, by method, resource and status.',
    ['method', 'resource', 'status'],
  );
  const requestSeconds = seconds('hamlet_operator_kube_request_seconds', 'Time to the response head.');
  const watchFailures = counter(
    'hamlet_operator_watch_failures_total',
    'Failed lists and watches, by kind and cause.',
    ['kind', 'cause'],
  );
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

export function addGauges(registry: Registry, queue: WorkQueue, watched: Watched): void {
  const registers = [registry];
  const gauge = gaugesOf(registry);
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
  gauge('hamlet_operator_queue_retries', 'Retries since the start.', () => queue.retries);
  gauge('hamlet_operator_queue_longest_seconds', 'Age of the oldest work under way.', () => queue.longestMs / 1_000);
  gauge('hamlet_operator_queue_delayed', 'Agents that wait for a time.', () => queue.delayed);
  perKind(
    'hamlet_operator_watch_silence_seconds',
    'Time since the last data from the API server.',
    ({ state }) => (performance.now() - state.lastReceivedMs) / 1_000,
  );
  perKind('hamlet_operator_relists', 'Full lists since the start.', ({ state }) => state.relists);
  perKind('hamlet_operator_watches', 'Watches opened since the start.', ({ state }) => state.watches);
  perKind('hamlet_operator_objects', 'Objects in the cache.', ({ cache }) => cache.size);
  new Gauge({
    name: 'hamlet_operator_relists_by_cause',
    help: 'Full lists since the start, by kind and cause.',
    registers,
    labelNames: ['kind', 'cause'],
    collect() {
      for (const [kind, { state }] of Object.entries(watched)) {
        for (const [cause, count] of Object.entries<number>(state.relistsBy)) this.set({ kind, cause }, count);
      }
    },
  });
}

export function errorText(error: unknown): string {
  if (error instanceof KubeError) return `${error.status} ${error.reason}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

const WAIT_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 30, 120];

const gaugesOf =
  (registry: Registry) =>
  (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };

export function addProcessGauges(registry: Registry, elector: Elector, loop: LoopWatch): void {
  const gauge = gaugesOf(registry);
  gauge('hamlet_operator_leader', '1 while this process leads and its lease is fresh.', () => (elector.leads ? 1 : 0));
  const help = 'Median lateness of the event loop in the last half minute.';
  gauge('hamlet_operator_loop_lateness_seconds', help, () => loop.latenessMs / 1_000);
}

export function queueWaits(registry: Registry): (key: string, waitedMs: number) => void {
  const waits = new Histogram({
    name: 'hamlet_operator_queue_wait_seconds',
    help: 'Time that a key waited for a worker.',
    buckets: WAIT_SECONDS,
    registers: [registry],
  });
  return (_key, waitedMs) => waits.observe(waitedMs / 1_000);
}
