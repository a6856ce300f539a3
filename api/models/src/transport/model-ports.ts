import { httpFetch } from './http-fetch.ts';
import type { Fetch } from './server-answer.ts';

export interface ModelPorts {
  readonly fetch: Fetch;
  /** Runs `run` after `ms`; the returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Milliseconds since 1970, to read dates in headers. */
  readonly nowMs: () => number;
  readonly random: () => number;
}

export const SYSTEM_PORTS: ModelPorts = {
  fetch: httpFetch,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  nowMs: () => Date.now(),
  random: () => Math.random(),
};

/** Waits, unless the signal aborts first. Resolves in both cases. */
export async function pause(ports: Pick<ModelPorts, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = ports.after(ms, resolve);
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  await promise;
  cancel();
  signal.removeEventListener('abort', stop);
}
