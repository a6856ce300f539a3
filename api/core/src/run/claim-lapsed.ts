/** What decides whether the claim on a run has lapsed. All times are of the database's clock, in ms. */
export interface ClaimFacts {
  /** The end of the lease; null where nobody holds the run. */
  readonly leaseUntilMs: number | null;
  /** Since when the village could take renewals without a pause that it noticed. */
  readonly attentiveSinceMs: number;
  readonly leaseMs: number;
  readonly nowMs: number;
}

/**
 * Whether the agent that held a run is taken to be gone. A village that was away itself gives every claim a whole lease first: no agent could renew
 * meanwhile.
 */
export function claimLapsed({ leaseUntilMs, attentiveSinceMs, leaseMs, nowMs }: ClaimFacts): boolean {
  return leaseUntilMs !== null && leaseUntilMs < nowMs && attentiveSinceMs + leaseMs <= nowMs;
}
