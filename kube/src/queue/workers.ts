import { settle, type Outcome, type OutcomeRecord } from './outcome.ts';
import type { WorkQueue } from './work-queue.ts';

export interface WorkersOptions {
  readonly queue: WorkQueue;
  readonly count: number;
  /** Must bear to be called again for the same key at any time. What it throws counts as `retry`. */
  readonly reconcile: (key: string) => Promise<Outcome>;
  readonly onOutcome?: (record: OutcomeRecord) => void;
}

/** Whatever `reconcile` throws, and however, is an outcome: no exception ends a worker. */
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

/** Works until the queue is closed and what was under way is done. `onOutcome` must not throw. */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.count }, () => work(options)));
}
