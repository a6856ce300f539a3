/** A bid that is still in the auction. */
export interface OpenBid {
  readonly bidId: string;
  readonly agentId: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
  /** Order in which the bids were placed: of two of one amount, the smaller wins. */
  readonly place: number;
  /** Whether its agent could have the window: its account is open, nothing is held against it, its money is still held. */
  readonly eligible: boolean;
}

/** Result of an auction. The rest of the winner's bid is free again. */
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
 * Sealed bids, second price: the highest bid wins, of equal ones the first, and pays the second highest bid, at least the reserve. So
 * bidding the true worth is the best strategy. Bids of agents that could not have the window do not count.
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
