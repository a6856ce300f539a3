import type { Elector, LoopWatch } from '@hamlet/kube';
import { Gauge, Histogram, type Registry } from 'prom-client';

const WAIT_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 30, 120];

/** A gauge that is read when it is asked for. */
export function addGauge(
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  read: () => number,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

/** Gauges of the process: whether it leads, how late its event loop is. */
export function addProcessGauges(registry: Registry, elector: Elector, loop: LoopWatch): void {
  addGauge(
    registry,
    { name: 'hamlet_operator_leader', help: '1 while this process leads and its lease is fresh.' },
    () => (elector.leads ? 1 : 0),
  );
  addGauge(
    registry,
    {
      name: 'hamlet_operator_loop_lateness_seconds',
      help: 'Median lateness of the event loop in the last half minute.',
    },
    () => loop.latenessMs / 1_000,
  );
}

/** What the queue tells of each key that is handed out. */
export function queueWaits(registry: Registry): (key: string, waitedMs: number) => void {
  const waits = new Histogram({
    name: 'hamlet_operator_queue_wait_seconds',
    help: 'Time that a key waited for a worker.',
    buckets: WAIT_SECONDS,
    registers: [registry],
  });
  return (_key, waitedMs) => waits.observe(waitedMs / 1_000);
}
