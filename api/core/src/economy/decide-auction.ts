/** A bid that is still in the auction. */
export interface OpenBid {
  readonly bidId: string;
  readonly agentId: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
  /** Order in which the bids were placed: if two amounts are equal, the smaller place wins. */
  readonly place: number;
  /** True if the agent may win the window: its account is open, no measure stands against it, and its hold is still there. */
  readonly eligible: boolean;
}

/** Result of an auction. The caller releases the part of the winner's hold above `price`. */
export interface AuctionResult {
  readonly winner: { readonly bidId: string; readonly agentId: string; readonly price: bigint } | null;
  /** All other bids with their outcome. */
  readonly others: readonly {
    readonly bidId: string;
    readonly agentId: string;
    readonly outcome: 'lost' | 'passed_over';
  }[];
}

function before(a: OpenBid, b: OpenBid): number {
  return Number(b.amount - a.amount) || a.place - b.place;
}

/**
 * A sealed-bid, second-price auction: the highest bid wins (the earlier one if two are equal) and pays the second highest bid, at least
 * the reserve. So an agent does best if it bids its true value. Bids that are not eligible do not count.
 */
export function decideAuction(reserve: bigint, bids: readonly OpenBid[]): AuctionResult {
  const [winner, second] = bids.filter(({ eligible, amount }) => eligible && amount >= reserve).toSorted(before);
  const others = bids
    .filter((bid) => bid !== winner)
    .map(({ bidId, agentId, eligible }) => ({
      bidId,
      agentId,
      outcome: eligible ? ('lost' as const) : ('passed_over' as const),
    }));
  if (winner === undefined) return { winner: null, others };
  return { winner: { bidId: winner.bidId, agentId: winner.agentId, price: second?.amount ?? reserve }, others };
}
