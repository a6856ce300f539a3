import { Counter, Gauge, type Registry } from 'prom-client';
import { DRIFT_KINDS, type Difference } from './difference.ts';

export interface DriftMetrics {
  /** @param fresh drift that was not counted before, @param standing all that there is now */
  onDrift(fresh: readonly Difference[], standing: readonly Difference[]): void;
  onRound(result: 'complete' | 'skipped' | 'failed'): void;
}

/** Counters of the drift audit in a registry. */
export function driftMetrics(registry: Registry): DriftMetrics {
  const registers = [registry];
  const drift = new Counter({
    name: 'hamlet_operator_drift_total',
    help: 'Differences between the database and Kubernetes that stood for a minute, by kind; each is counted once.',
    labelNames: ['kind'],
    registers,
  });
  const standing = new Gauge({
    name: 'hamlet_operator_drift',
    help: 'Such differences at the last audit, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const rounds = new Counter({
    name: 'hamlet_operator_drift_audits_total',
    help: 'Audits, by how they ended; skipped while the api is not heard.',
    labelNames: ['result'],
    registers,
  });
  for (const kind of DRIFT_KINDS) drift.inc({ kind }, 0);
  return {
    onDrift: (fresh, all) => {
      for (const { kind } of fresh) drift.inc({ kind });
      for (const kind of DRIFT_KINDS)
        standing.set({ kind }, all.filter((difference) => difference.kind === kind).length);
    },
    onRound: (result) => rounds.inc({ result }),
  };
}
