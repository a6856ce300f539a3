import type { ModelOutcome } from '@hamlet/contract';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProviderQueue } from './provider-queue.ts';
import type { ModelUsage } from './carry-out.ts';

const MICROS_PER_AIDOLLAR = 1_000_000;
const BUCKETS_S = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export function createGatewayMetrics(registry: Registry, queue: Pick<ProviderQueue, 'waiting'>) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers });
  const requests = counter('hamlet_model_requests_total', 'Model requests sent to providers, by model and outcome', [
    'model',
    'outcome',
  ]);
  const tokens = counter('hamlet_model_tokens_total', 'Tokens of models, by model and kind (prompt, completion)', [
    'model',
    'kind',
  ]);
  const charged = counter(
    'hamlet_model_charged_aidollars_total',
    'aiDollars that agents were charged for tokens, by model',
    ['model'],
  );
  const seconds = new Histogram({
    name: 'hamlet_model_request_seconds',
    help: 'Time from the admission of a request to the end of its answer, by model',
    labelNames: ['model'],
    buckets: BUCKETS_S,
    registers,
  });
  const unsettled = counter('hamlet_model_unsettled_total', 'Model requests whose end could not be recorded', []);
  new Gauge({
    name: 'hamlet_model_requests_waiting',
    help: 'Requests that wait for a place at a provider',
    labelNames: ['provider'],
    registers,
    collect() {
      for (const [provider, count] of queue.waiting) this.set({ provider }, count);
    },
  });
  return {
    ended: (
      model: string,
      {
        outcome,
        usage,
        costMicros,
        durationMs,
      }: {
        readonly outcome: ModelOutcome;
        readonly usage: ModelUsage;
        /** Micro-aiDollars. */
        readonly costMicros: bigint;
        readonly durationMs: number;
      },
    ) => {
      requests.inc({ model, outcome });
      tokens.inc({ model, kind: 'prompt' }, usage.promptTokens);
      tokens.inc({ model, kind: 'completion' }, usage.completionTokens);
      charged.inc({ model }, Number(costMicros) / MICROS_PER_AIDOLLAR);
      seconds.observe({ model }, durationMs / 1_000);
    },
    unsettled: () => unsettled.inc(),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
