import type { Elector, LoopWatch } from '@hamlet/kube';
import { Gauge, Histogram, type Registry } from 'prom-client';

const WAIT_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 30, 120];

/** Gauges of the process: whether it leads, how late its event loop is. */
export function addProcessGauges(registry: Registry, elector: Elector, loop: LoopWatch): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('hamlet_operator_leader', '1 while this process leads and its lease is fresh.', () => (elector.leads ? 1 : 0));
  gauge('hamlet_operator_loop_lateness_seconds', 'Median lateness of the event loop in the last half minute.', () => loop.latenessMs / 1_000);
}

/** What the queue tells of each key that is handed out. */
export function queueWaits(registry: Registry): (key: string, waitedMs: number) => void {
  const waits = new Histogram({ name: 'hamlet_operator_queue_wait_seconds', help: 'Time that a key waited for a worker.', buckets: WAIT_SECONDS, registers: [registry] });
  return (_key, waitedMs) => waits.observe(waitedMs / 1_000);
}
