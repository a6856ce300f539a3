import { backoff } from '@hamlet/core/backoff';
import type { Answer } from './village.ts';

/** Backoff for requests to the API in milliseconds: short enough that all agents reconnect within seconds of its restart. */
export const API_BACKOFF = { first: 250, longest: 5_000 };

/** Ends the work on runs: a newer cycle has begun. */
export class CycleOver extends Error {}

export interface RetryPorts {
  readonly rest: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export type Definite<T> = Extract<Answer<T>, { kind: 'ok' | 'refused' }>;

/** Repeats a request until the API accepts or refuses it. Rejects with CycleOver, or with the signal's reason. */
export async function retry<T>(
  ask: () => Promise<Answer<T>>,
  signal: AbortSignal,
  { rest, random }: RetryPorts,
): Promise<Definite<T>> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer.kind === 'stale') throw new CycleOver('a newer cycle of the agent has begun');
    if (answer.kind !== 'unreachable') return answer;
    await rest(backoff(failures, API_BACKOFF, random()));
  }
}

/** Rejects when the signal aborts, for a race with work that may ignore its signal. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}
