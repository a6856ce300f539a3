import { countRunsInFlight } from '@hamlet/store';
import type { Tx } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';
import type { AgentLimits } from '../limits/agent-limits.ts';

const RETRY_S = 10;

/** Whether an agent works on as many runs as its tier allows, besides this one; from here to the end of the transaction it starts no other. */
export async function refuseTooMany(
  tx: Tx,
  limits: AgentLimits,
  { actor, runId }: { readonly actor: AgentActor; readonly runId: string },
): Promise<Refused | null> {
  const allowance = await limits.of(actor.agentId);
  const allowed = allowance?.limits.concurrent_tools ?? 0;
  const inFlight = await countRunsInFlight(tx, actor.agentId, runId);
  if (inFlight < allowed) return null;
  const tier = allowance === null ? 'Without a tier' : `The tier ${allowance.tier}`;
  return {
    ...refused('too_many_in_flight', `${tier} allows ${allowed} at one time, and ${inFlight} runs are under way`),
    retryAfterS: RETRY_S,
  };
}
