/** Resolves with the first SIGTERM or SIGINT. A second one ends the process at once, by the default action. */
export function shutdownSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

/** One step of ending, and how long the next waits for it. */
export interface DrainStep {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly withinMs: number;
}

/** Runs the steps in order, each until it is done or its time is over; errors and lateness are told and stop nothing. */
export async function drain(steps: readonly DrainStep[], onError: (error: unknown) => void): Promise<void> {
  for (const { name, run, withinMs } of steps) {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.reject(new Error(`${name}: not done within ${withinMs} ms`)), withinMs);
    await Promise.race([run(), late.promise]).catch(onError);
    clearTimeout(timer);
  }
}
