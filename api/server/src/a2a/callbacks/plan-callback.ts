import { backoff } from '@hamlet/core';

/** After this many failed deliveries in a row, about 20 minutes with their waits, the callback ends. */
export const FAILURES_MAX = 8;
const WAIT_S = { first: 10, longest: 600 };

/** Statuses with which a receiver says that it will never take this callback. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([404, 410]);

export interface Delivery {
  /** True if the state that was sent is the last one. */
  readonly isOver: boolean;
  /** The status of the receiver's answer; null without an answer. */
  readonly status: number | null;
  /** Failures in a row before this delivery. */
  readonly failures: number;
}

type DeliveryVerdict =
  /** The receiver has the last state, or no longer takes callbacks of this task. */
  | { readonly kind: 'end'; readonly delivered: boolean }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'failed'; readonly failures: number; readonly waitS: number };

/** Decides what follows a delivery. Pure. */
export function decideDelivery({ isOver, status, failures: before }: Delivery): DeliveryVerdict {
  if (status !== null && status >= 200 && status < 300)
    return isOver ? { kind: 'end', delivered: true } : { kind: 'delivered' };
  const failures = before + 1;
  if ((status !== null && FINAL_STATUSES.has(status)) || failures >= FAILURES_MAX)
    return { kind: 'end', delivered: false };
  return { kind: 'failed', failures, waitS: backoff(failures, WAIT_S) };
}
