import { FREE_RUN_MONEY, parseAiDollars, type Run, type RunBudgets, WARN_SHARE } from '@hamlet/contract';
import { isForeign } from '@hamlet/core';
import { moneyLabel } from '../../client/labels.ts';
import { lengthLabel } from '../../ui/time-labels.ts';

/** One limit of a run with its use. */
export interface BudgetShare {
  readonly of: 'steps' | 'tokens' | 'money' | 'time';
  readonly used: string;
  readonly limit: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** Time of work until `since`, from which on the agent works now; null while it does not. */
type Worked = Readonly<{ timeMs: number; since: string | null }>;
type Limited = Pick<Run, 'usage'> & {
  readonly mind?: Run['mind'];
  readonly budgets: (RunBudgets & { readonly spent?: Worked | undefined }) | null;
};

/**
 * The limits of a run, the one that ends first before the others; empty before the first start. The work of a program has no steps of
 * ours.
 */
export function budgetShares({ usage, budgets, mind }: Limited, nowMs: number): readonly BudgetShare[] {
  if (budgets === null) return [];
  const number = (of: 'steps' | 'tokens'): BudgetShare => ({
    of,
    used: usage[of].toLocaleString('en'),
    limit: budgets[of].toLocaleString('en'),
    share: Math.min(1, usage[of] / budgets[of]),
  });
  const money: BudgetShare = {
    of: 'money',
    used: moneyLabel(usage.cost),
    limit: moneyLabel(budgets.money),
    share: Math.min(1, Number(parseAiDollars(usage.cost)) / Number(parseAiDollars(budgets.money))),
  };
  const shares = [
    ...(mind !== undefined && isForeign(mind) ? [] : [number('steps')]),
    number('tokens'),
    ...(budgets.money === FREE_RUN_MONEY ? [] : [money]),
    ...timeOf(budgets, nowMs),
  ];
  return shares.toSorted((left, right) => right.share - left.share);
}

function timeOf({ timeMs, spent }: NonNullable<Limited['budgets']>, nowMs: number): readonly BudgetShare[] {
  if (spent === undefined) return [];
  const worked = spent.timeMs + (spent.since === null ? 0 : Math.max(0, nowMs - Date.parse(spent.since)));
  return [{ of: 'time', used: lengthLabel(worked), limit: lengthLabel(timeMs), share: Math.min(1, worked / timeMs) }];
}

/** The limit that ends a run first, once most of it is used; null before. */
export function nearLimit(run: Limited, nowMs: number): BudgetShare | null {
  const [first] = budgetShares(run, nowMs);
  return first !== undefined && first.share >= WARN_SHARE ? first : null;
}

/** `83 % of its tokens are used: 166,000 of 200,000`. */
export function shareLabel({ of, used, limit, share }: BudgetShare): string {
  return `${Math.floor(share * 100)} % of its ${of} ${of === 'money' || of === 'time' ? 'is' : 'are'} used: ${used} of ${limit}`;
}
