import type { ModelOutcome } from '@hamlet/contract';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProviderQueue } from './provider-queue.ts';
import type { ModelUsage } from './carry-out.ts';

const BUCKETS_S = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export function createGatewayMetrics(registry: Registry, queue: Pick<ProviderQueue, 'waiting'>) {
  const registers = [registry];
  const requests = new Counter({
    name: 'hamlet_model_requests_total',
    help: 'Model requests that were admitted, by model and outcome',
    labelNames: ['model', 'outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'hamlet_model_refusals_total',
    help: 'Model requests that were refused, by reason',
    labelNames: ['reason'],
    registers,
  });
  const tokens = new Counter({
    name: 'hamlet_model_tokens_total',
    help: 'Tokens of models, by model and kind (prompt, completion)',
    labelNames: ['model', 'kind'],
    registers,
  });
  const seconds = new Histogram({
    name: 'hamlet_model_request_seconds',
    help: 'Time from the admission of a request to the end of its answer, by model',
    labelNames: ['model'],
    buckets: BUCKETS_S,
    registers,
  });
  const unsettled = new Counter({
    name: 'hamlet_model_unsettled_total',
    help: 'Model requests whose end could not be recorded',
    registers,
  });
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
    refused: (reason: string) => refusals.inc({ reason }),
    ended: (
      model: string,
      {
        outcome,
        usage,
        durationMs,
      }: { readonly outcome: ModelOutcome; readonly usage: ModelUsage; readonly durationMs: number },
    ) => {
      requests.inc({ model, outcome });
      tokens.inc({ model, kind: 'prompt' }, usage.promptTokens);
      tokens.inc({ model, kind: 'completion' }, usage.completionTokens);
      seconds.observe({ model }, durationMs / 1_000);
    },
    unsettled: () => unsettled.inc(),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
