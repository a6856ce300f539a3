import { type Need, type Run, WARN_SHARE } from '@hamlet/contract';
import { firstLimit, isForeign, limitShares } from '@hamlet/core';
import { type NeedReader, tokensPage } from './need-words.ts';
import { runPage } from './web-links.ts';

/** A reader of runs. An admin may raise the limits of every run, a member those of their own. */
type RunReader = NeedReader & { readonly id: string };

const percent = (share: number): string => `${Math.floor(Math.min(1, share) * 100)} %`;

/** The limit of which a run has used most, with its share; null before its first start. The steps of a program do not count. */
function fullestLimit({ budgets, mind }: Run, nowMs: number) {
  const spent = budgets?.spent;
  if (budgets === null || spent === undefined) return null;
  const workedMs = spent.since === null ? 0 : Math.max(0, nowMs - Date.parse(spent.since));
  const steps = mind !== undefined && isForeign(mind) ? 0 : spent.steps;
  const used = { ...spent, steps, timeMs: spent.timeMs + workedMs };
  const limit = firstLimit(budgets, used);
  return { limit, share: limitShares(budgets, used)[limit] };
}

/** The need of a run that has used most of a limit; null before. Pure. */
export function budgetNeed(run: Run, { isAdmin, id }: RunReader, nowMs: number): Need | null {
  const fullest = fullestLimit(run, nowMs);
  if (fullest === null || fullest.share < WARN_SHARE) return null;
  const { limit, share } = fullest;
  const label = limit === 'tokens' ? 'Add tokens' : 'Raise its limits';
  return {
    kind: 'budget',
    id: run.run_id,
    agent_id: run.agent_id,
    since: run.started_at ?? run.created_at,
    line: `has used ${percent(share)} of the ${limit} of a task`,
    link: runPage(run.run_id),
    remedy: isAdmin || run.created_by.id === id ? { route: 'raiseRun', label } : null,
  };
}

interface HourUse {
  readonly agentId: string;
  readonly used: number;
  readonly limit: number;
  readonly beganAt: Date;
}

/** The need of an agent that has used most of the tokens of its hour; null before. Pure. */
export function hourNeed({ agentId, used, limit, beganAt }: HourUse, reader: NeedReader): Need | null {
  if (limit === 0 || used < limit * WARN_SHARE) return null;
  return {
    kind: 'hour',
    id: agentId,
    agent_id: agentId,
    since: beganAt.toISOString(),
    line: `has used ${percent(used / limit)} of its tokens of this hour`,
    link: tokensPage(agentId, reader),
    remedy: null,
  };
}
