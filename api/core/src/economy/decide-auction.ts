export interface OpenBid {
  readonly bidId: string;
  readonly agentId: string;
  /** Micro-aiDollars. */
  readonly amount: bigint;
  /** Order of the bids: between equal amounts, the earlier bid wins. */
  readonly place: number;
  /** True if the agent's account is open, no measure stands against the agent, and the money is still held. */
  readonly eligible: boolean;
}

/** Result of an auction. The caller releases the part of the winner's hold above `price`. */
export interface AuctionResult {
  readonly winner: { readonly bidId: string; readonly agentId: string; readonly price: bigint } | null;
  readonly others: readonly {
    readonly bidId: string;
    readonly agentId: string;
    readonly outcome: 'lost' | 'passed_over';
  }[];
}

const before = (a: OpenBid, b: OpenBid): number => Number(b.amount - a.amount) || a.place - b.place;

/** A sealed-bid second-price auction: the highest bid pays the second highest, at least the reserve. Bidding the true value is optimal. */
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
