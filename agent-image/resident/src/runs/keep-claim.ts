import { RUN_RENEW_EVERY_S } from '@hamlet/contract/resident';
import type { Refusal } from '@hamlet/contract';
import type { Claim, Village } from '../village/village.ts';
import { createBell } from './bell.ts';

/** What says that the run is no longer in this process's hand. Any other refusal, say a measure against the agent, may be lifted. */
const LOST: ReadonlySet<Refusal> = new Set<Refusal>(['claim_lapsed', 'run_settled', 'run_not_started', 'no_such_run']);

interface Kept {
  readonly runId: string;
  readonly claim: Claim;
  /** Aborts when the claim is needed no longer. */
  readonly over: AbortSignal;
}

/**
 * Renews the claim on a run until it is over or lost. An api that does not answer is asked again at the next turn: it gives every claim a whole lease
 * when it is back, and refuses what is done under a claim that has lapsed.
 */
export async function keepClaim(
  village: Pick<Village, 'renewRun'>,
  { runId, claim, over }: Kept,
  everyMs = RUN_RENEW_EVERY_S * 1_000,
): Promise<'over' | 'lost'> {
  const timer = createBell();
  for (;;) {
    await timer.wait(everyMs, over);
    if (over.aborted) return 'over';
    const answer = await village.renewRun(runId, claim);
    if (answer.kind === 'stale' || (answer.kind === 'refused' && LOST.has(answer.code))) return 'lost';
  }
}
