/** The work is over: a reason that costs nothing to make, where an exception would record its stack. */
export const OVER = 'over';

export type LinkedAbort = Readonly<{
  /** Aborts with the parent, or by `abort`. */
  signal: AbortSignal;
  abort: (reason: unknown) => void;
  /** Ends the link to the parent. */
  unlink: () => void;
}>;

/**
 * An abort that follows another signal until it is unlinked; `onFollow` runs when it follows. It replaces `AbortSignal.any`, which
 * costs more and must be collected.
 */
export function linkedAbort(parent: AbortSignal, onFollow = (): void => {}): LinkedAbort {
  const own = new AbortController();
  const follow = (): void => {
    own.abort(parent.reason);
    onFollow();
  };
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    unlink: () => parent.removeEventListener('abort', follow),
  };
}
