import type { RunBudgets } from '@hamlet/contract';
import { runBudgets } from '@hamlet/core';
import { countRunsInFlight, type AgentBar, type Tx } from '@hamlet/store';
import type { AgentActor } from '../http/actor.ts';
import { refused, type Refused } from '../http/outcome.ts';
import type { AgentLimits } from '../limits/agent-limits.ts';

const RETRY_S = 10;

/** True if a measure keeps an agent from getting runs. An agent with a revoked token still runs, and may exchange a new token. */
export const barsRuns = (bar: AgentBar | undefined): boolean => bar !== undefined && bar.measure !== 'revoke_token';

/** Locks the agent: it starts no other run until the transaction ends. */
export async function refuseTooMany(
  tx: Tx,
  limits: AgentLimits,
  { actor, runId }: { readonly actor: AgentActor; readonly runId: string },
): Promise<Refused | null> {
  const allowance = await limits.of(actor.agentId, tx);
  const allowed = allowance?.limits.concurrent_tools ?? 0;
  const inFlight = await countRunsInFlight(tx, actor.agentId, runId);
  if (inFlight < allowed) return null;
  const tier = allowance === null ? 'Without a tier' : `The tier ${allowance.tier}`;
  const detail = `${tier} allows ${allowed} runs at one time, and ${inFlight} are in progress: wait for one to end`;
  return refused('too_many_in_flight', detail, RETRY_S);
}

export async function budgetsFor(tx: Tx, limits: AgentLimits, agentId: string): Promise<RunBudgets> {
  const allowance = await limits.of(agentId, tx);
  if (allowance === null) return runBudgets(null);
  const { limits: of, price } = allowance;
  return runBudgets({ tokensPerHour: of.tokens_per_hour, perThousandTokens: price.per_thousand_tokens });
}
