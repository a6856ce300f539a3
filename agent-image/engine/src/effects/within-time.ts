export type TimeLimit = Readonly<{
  timeoutMs: number;
  signal: AbortSignal;
  after: (ms: number, run: () => void) => () => void;
}>;

/** The values of work that did not end by itself. Without `aborted`, work is awaited until it ends after an abort. */
type EarlyEnds<T> = Readonly<{ timedOut: () => T; aborted?: () => T }>;

/**
 * The value of the work, or of its early end. The signal of the work aborts when its time is over, and with `signal` until the
 * work ends: `AbortSignal.any` would leave a trace of each work on the signal of a long run.
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
