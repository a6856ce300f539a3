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

/** Who keeps what is known of holds. */
export interface HoldMemory {
  /** What the api knows of a claim, since it answered at that moment (milliseconds since 1970); the stream tells it too, a moment later. */
  learnClaim(claim: ComputeClaim, askedMs?: number): void;
  /** What is known up to a version is about to be given back: whether or not the answer arrives, nothing may begin by it. */
  giveUpHold(agentId: string, version: number): void;
}

export function holdsThrough(client: Client, memory: HoldMemory): HoldPort {
  return {
    ask: async (body) => {
      const askedMs = Date.now();
      const outcome = await client.call(claimCompute, { body, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
      const { granted, reason, claim } = outcome.data;
      if (claim !== null) memory.learnClaim(claim, askedMs);
      // Not known there yet, or free there and priced here: the two of us see the Entitlements a moment apart.
      if (claim === null || (!granted && reason === 'HoldPending'))
        throw new Error(`the api does not hold money for ${body.tier} yet`);
    },
    release: async ({ agentId, uid, version }) => {
      memory.giveUpHold(agentId, version);
      const outcome = await client.call(releaseCompute, {
        body: { agent_id: agentId, uid, version },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!outcome.ok) throw new ProblemError(outcome.problem);
    },
  };
}
