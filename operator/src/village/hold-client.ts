import type { Client, ClaimBody, ComputeClaim } from '@hamlet/contract';
import { claimCompute, ProblemError, releaseCompute } from '@hamlet/contract/operator';

const TIMEOUT_MS = 5_000;

/** Money for pods of priced tiers, set aside by the api. */
export interface HoldPort {
  /** Asks that money is set aside for a pod, or says that it runs now. What the api answers is learned; throws where it has none. */
  ask(claim: ClaimBody): Promise<void>;
  /** Nothing of a priced tier runs by the claim of that version any more. */
  release(claim: { readonly agentId: string; readonly uid: string; readonly version: number }): Promise<void>;
}

/** @param learn hears at once what the api knows of the claim since; the stream tells it too, a moment later */
export function holdsThrough(client: Client, learn: (claim: ComputeClaim) => void): HoldPort {
  return {
    ask: async (body) => {
      const outcome = await client.call(claimCompute, { body, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
      const { granted, reason, claim } = outcome.data;
      if (claim !== null) learn(claim);
      // Not known there yet, or free there and priced here: the two of us see the Entitlements a moment apart.
      if (claim === null || (!granted && reason === 'HoldPending')) throw new Error(`the api does not hold money for ${body.tier} yet`);
    },
    release: async ({ agentId, uid, version }) => {
      const outcome = await client.call(releaseCompute, { body: { agent_id: agentId, uid, version }, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
    },
  };
}
