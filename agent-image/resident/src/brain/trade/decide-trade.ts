/** What an agent gives for compute at most. Amounts are micro-aiDollars. All of it is pure. */

/** All bids of an agent together hold at most a fifth of what it has free and in bids. */
export const BIDS_ONE_IN = 5n;
/** A bid that would come later than this before the end of the bidding is left alone. */
export const BID_LEAD_MS = 10_000;
const HOUR_MS = 3_600_000n;

/** A price as the village quoted it, and what the agent would be left with. */
export interface QuotedPrice {
  readonly price: bigint;
  /** What the agent can spend now. */
  readonly available: bigint;
  /** The tiers of its balance before and after. */
  readonly tier: string | null;
  readonly tierAfter: string | null;
}

/** Whether the agent buys: the price is at most one part in `oneIn` of what it can spend, and its tier stays. */
export function buys({ price, available, tier, tierAfter }: QuotedPrice, oneIn: bigint): boolean {
  return price > 0n && price * oneIn <= available && tier === tierAfter;
}

/** An auction as far as a bid rests on it. Times are milliseconds since 1970. */
export interface AuctionSeen {
  readonly state: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly closesAtMs: number;
  readonly reserve: bigint;
  /** What the agent has bid in it; null where it has not. */
  readonly ownBid: bigint | null;
}

export interface Purse {
  readonly available: bigint;
  /** What is held for its open bids. */
  readonly inBids: bigint;
  readonly nowMs: number;
  /** The price list's GPU hour. */
  readonly gpuHour: bigint;
}

/**
 * The bid of an agent in an auction; null where it makes none. The winner pays what the second has bid, so it bids what the window is worth to it:
 * the same time at the price list, cut to what its share of money leaves. It bids once, and never below the reserve.
 */
export function bidOf(
  { state, startsAtMs, endsAtMs, closesAtMs, reserve, ownBid }: AuctionSeen,
  { available, inBids, nowMs, gpuHour }: Purse,
): bigint | null {
  if (state !== 'open' || ownBid !== null || closesAtMs - nowMs < BID_LEAD_MS || endsAtMs <= startsAtMs) return null;
  const worth = (gpuHour * BigInt(endsAtMs - startsAtMs)) / HOUR_MS;
  const share = (available + inBids) / BIDS_ONE_IN - inBids;
  const amount = worth < share ? worth : share;
  return amount > 0n && amount >= reserve ? amount : null;
}
