/** Resolves with the first SIGTERM or SIGINT. A second one ends the process at once, by the default action. */
export function shutdownSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

/** Runs the steps in order, each until it is done or `withinMs` in all are over; errors are told and stop nothing. */
export async function drain(steps: readonly (() => Promise<unknown>)[], withinMs: number, onError: (error: unknown) => void): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  for (const step of steps) await Promise.race([step().catch(onError), late]);
  clearTimeout(timer);
}
