import { coalesce } from '../service/coalesce.ts';
import type { Log } from '../service/log.ts';

export interface WorkerOptions {
  readonly name: string;
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  readonly log: Log;
}

/** Work that is done now and then, never twice at once in this process. */
export interface Worker {
  /** Has it done soon; once more where it is under way. */
  nudge(): void;
  /** Ends it, and waits for what is under way. */
  stop(): Promise<void>;
}

/** Starts work at once, then every so often and when nudged. What fails is logged and tried again. */
export function createWorker({ name, everyMs, work, log }: WorkerOptions): Worker {
  let stopped = false;
  let running = Promise.resolve();
  const workInTurn = coalesce(async () => {
    if (!stopped) await work().catch((error: unknown) => log('warn', `${name} waits`, { error }));
  });
  const nudge = (): void => {
    if (!stopped) running = workInTurn();
  };

  const timer = setInterval(nudge, everyMs);
  nudge();
  return {
    nudge,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
