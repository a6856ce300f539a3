export type TimeLimit = Readonly<{
  timeoutMs: number;
  signal: AbortSignal;
  after: (ms: number, run: () => void) => () => void;
}>;

/** Values instead of the result. Without `aborted`, an abort waits until the work ends. */
type EarlyEnds<T> = Readonly<{ timedOut: () => T; aborted?: () => T }>;

/**
 * Returns the result of the work, or the value for its timeout or abort. The signal of the work aborts at the timeout and with
 * `signal`. `AbortSignal.any` would leak a listener for each call on the signal of a long run.
 */
export async function withinTime<T>(
  { timeoutMs, signal, after }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
  { timedOut, aborted }: EarlyEnds<T>,
): Promise<T> {
  const own = new AbortController();
  const early = Promise.withResolvers<T>();
  const follow = (): void => {
    own.abort(signal.reason);
    if (aborted !== undefined) early.resolve(aborted());
  };
  const cancel = after(timeoutMs, () => {
    own.abort(new DOMException('The call timed out.', 'TimeoutError'));
    early.resolve(timedOut());
  });
  signal.addEventListener('abort', follow);
  if (signal.aborted) follow();
  try {
    return await Promise.race([work(own.signal), early.promise]);
  } finally {
    cancel();
    signal.removeEventListener('abort', follow);
  }
}
