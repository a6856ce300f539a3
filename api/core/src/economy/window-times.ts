import { AUCTION_LEAD_SECONDS, PURCHASE_SECONDS_MAX, WINDOW_AHEAD_SECONDS_MAX } from '@hamlet/contract';

/** Milliseconds since 1970. */
export interface WindowTimes {
  readonly startsMs: number;
  readonly endsMs: number;
}

const SECOND_MS = 1_000;

/** A sentence with the fix; null if the times have no fault. */
export function windowFault({ startsMs, endsMs }: WindowTimes, nowMs: number): string | null {
  if (startsMs < nowMs) return 'the window must not begin in the past: write a later starts_at';
  if (startsMs > nowMs + WINDOW_AHEAD_SECONDS_MAX * SECOND_MS)
    return `the window begins more than ${WINDOW_AHEAD_SECONDS_MAX / 86_400} days ahead: write an earlier starts_at`;
  if (endsMs <= startsMs) return 'the window must end after it begins: write a later ends_at';
  if (endsMs - startsMs > PURCHASE_SECONDS_MAX * SECOND_MS)
    return `the window is longer than ${PURCHASE_SECONDS_MAX / 86_400} days: write an earlier ends_at`;
  return null;
}

/** As {@link windowFault}. */
export function auctionFault(times: WindowTimes & { readonly closesMs: number }, nowMs: number): string | null {
  const { closesMs, startsMs } = times;
  if (closesMs <= nowMs) return 'the bidding must end in the future: write a later closes_at';
  if (startsMs - closesMs < AUCTION_LEAD_SECONDS * SECOND_MS)
    return `the bidding must end at least ${AUCTION_LEAD_SECONDS} s before the window begins: write an earlier closes_at`;
  return windowFault(times, nowMs);
}
