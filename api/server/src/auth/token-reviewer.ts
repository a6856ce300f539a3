import type { Outcome } from '../http/outcome.ts';

/** The life of an agent that a token speaks for. */
export interface ReviewedAgent {
  readonly agentId: string;
  readonly uid: string;
  /** The pod that the token is bound to; null where there is no cluster to ask. */
  readonly podUid: string | null;
  readonly cycle: number;
}

/** Who a projected token belongs to, asked of whoever made it. Never takes a name from the caller's words. */
export interface TokenReviewer {
  reviewAgent(token: string): Promise<Outcome<ReviewedAgent>>;
  /** Whether it is the operator's. */
  reviewOperator(token: string): Promise<boolean>;
}
