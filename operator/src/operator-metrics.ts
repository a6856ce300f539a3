import { KubeError, Metrics, type Counter, type Labels, type OutcomeRecord, type Recovery, type RequestRecord, type WorkQueue } from '@hamlet/kube';
import type { Watched } from './kinds/agent/triggers.ts';

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** What is counted, and how it is told. */
export interface OperatorMetrics {
  readonly registry: Metrics;
  readonly reconciles: Counter;
  readonly requests: Counter;
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

export function operatorMetrics(): OperatorMetrics {
  const registry = new Metrics();
  const reconciles = registry.counter('hamlet_operator_reconciles_total', 'Agents worked on, by outcome.');
  const reconcileSeconds = registry.histogram('hamlet_operator_reconcile_seconds', 'Time of one reconcile.', SECONDS);
  const requests = registry.counter('hamlet_operator_kube_requests_total', 'Requests to the API server, by method, resource and status.');
  const requestSeconds = registry.histogram('hamlet_operator_kube_request_seconds', 'Time to the head of the answer.', SECONDS);
  const watchFailures = registry.counter('hamlet_operator_watch_failures_total', 'Lists and watches that failed, by kind and cause.');
  return {
    registry,
    reconciles,
    requests,
    onOutcome: ({ outcome, milliseconds }) => {
      reconciles.add({ outcome: outcome.kind });
      reconcileSeconds.observe(milliseconds / 1_000);
    },
    onRequest: ({ method, path, status, milliseconds }) => {
      requests.add({ method, resource: resourceOf(path), status: String(status) });
      requestSeconds.observe(milliseconds / 1_000);
    },
    onWatchFailure: (kind, { cause }) => watchFailures.add({ kind, cause }),
  };
}

/** Gauges that are read when they are asked for. */
export function addGauges(registry: Metrics, queue: WorkQueue, watched: Watched): void {
  const perKind = (read: (reflector: Watched[keyof Watched]) => number) => (): (readonly [Labels, number])[] =>
    Object.entries(watched).map(([kind, reflector]) => [{ kind }, read(reflector)]);
  registry.gauge('hamlet_operator_queue_depth', 'Agents that wait for a worker.', () => queue.depth);
  registry.gauge('hamlet_operator_queue_delayed', 'Agents that wait for a time.', () => queue.delayed);
  registry.gauge('hamlet_operator_watch_silence_seconds', 'Time since the API server was last heard.', perKind(({ state }) => (performance.now() - state.lastHeardMs) / 1_000));
  registry.gauge('hamlet_operator_relists', 'Full lists since the start.', perKind(({ state }) => state.relists));
  registry.gauge('hamlet_operator_objects', 'Objects in the cache.', perKind(({ cache }) => cache.size));
  registry.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
}

/** An error in a few words for the log. */
export function errorText(error: unknown): string {
  if (error instanceof KubeError) return `${error.status} ${error.reason}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
