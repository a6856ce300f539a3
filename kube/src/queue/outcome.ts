import { KubeError } from '../client/kube-error.ts';
import type { WorkQueue } from './work-queue.ts';

/** How the work on one key ended. */
export type Outcome =
  | { readonly kind: 'done' }
  /** Look again after a time, although nothing changes. */
  | { readonly kind: 'requeue'; readonly afterMs: number }
  /** It failed and may go well another time. */
  | {
      readonly kind: 'retry';
      readonly error: unknown;
      /** Look again after this time at the latest, whatever the back-off. */ readonly withinMs?: number;
    }
  /** It failed and will fail until somebody changes something; a condition says so. */
  | { readonly kind: 'terminal'; readonly error: unknown };

/** What is told about an outcome. */
export interface OutcomeRecord {
  readonly key: string;
  readonly outcome: Outcome;
  readonly milliseconds: number;
  /** Wait before the next attempt, where there is one. */
  readonly retryInMs?: number;
}

/** The one place that turns an outcome into what the queue does. Returns the wait before the next attempt, if any. */
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
