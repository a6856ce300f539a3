import type { WorkQueue } from './work-queue.ts';
import { KubeError } from '../client/kube-error.ts';

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'requeue'; readonly afterMs: number }
  | {
      readonly kind: 'retry';
      readonly error: unknown;
      /** An upper limit of the wait before the next attempt, if the back-off is longer. */
      readonly withinMs?: number;
    }
  /** The work fails until a person changes something; a condition states the problem. */
  | { readonly kind: 'terminal'; readonly error: unknown };

export interface OutcomeRecord {
  readonly key: string;
  readonly outcome: Outcome;
  readonly milliseconds: number;
  readonly retryInMs?: number;
}

/** Queues the key again as its outcome asks. Returns the milliseconds until the next attempt, if there is one. */
export function settle(queue: WorkQueue, key: string, outcome: Outcome): number | undefined {
  switch (outcome.kind) {
    case 'retry': {
      const backOffMs = queue.addAfterFailure(key, outcome.error instanceof KubeError ? outcome.error.retryAfterMs : 0);
      const { withinMs = backOffMs } = outcome;
      if (withinMs < backOffMs) queue.addAfter(key, withinMs);
      return Math.min(withinMs, backOffMs);
    }
    case 'requeue':
      queue.forgive(key);
      queue.addAfter(key, outcome.afterMs);
      return outcome.afterMs;
    case 'done':
    case 'terminal':
      queue.forgive(key);
      return undefined;
    default:
      return outcome satisfies never;
  }
}

interface WorkersOptions {
  readonly queue: WorkQueue;
  readonly count: number;
  /** Must be idempotent. An exception counts as `retry`. */
  readonly reconcile: (key: string) => Promise<Outcome>;
  readonly onOutcome?: (record: OutcomeRecord) => void;
}

async function outcomeOf(reconcile: WorkersOptions['reconcile'], key: string): Promise<Outcome> {
  try {
    return await reconcile(key);
  } catch (error) {
    return { kind: 'retry', error };
  }
}

async function work({ queue, reconcile, onOutcome }: WorkersOptions): Promise<void> {
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const startedMs = performance.now();
    const outcome = await outcomeOf(reconcile, key);
    const retryInMs = settle(queue, key, outcome);
    queue.done(key);
    onOutcome?.({
      key,
      outcome,
      milliseconds: performance.now() - startedMs,
      ...(retryInMs === undefined ? {} : { retryInMs }),
    });
  }
}

/** Works until the queue is closed and the current work has ended. `onOutcome` must not throw. */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.count }, () => work(options)));
}
