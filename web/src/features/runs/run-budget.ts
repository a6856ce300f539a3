import { FREE_RUN_MONEY, RUN_LIMITS, type Run, type RunBudgets, WARN_SHARE } from '@hamlet/contract';
import { isForeign, limitShares } from '@hamlet/core';
import { moneyLabel } from '../../client/labels.ts';
import { lengthLabel } from '../../ui/time-labels.ts';

/** One limit of a run with its use. */
export interface BudgetShare {
  readonly of: (typeof RUN_LIMITS)[number];
  readonly used: string;
  readonly limit: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** Milliseconds of work before `since`. The agent has worked without a pause since then; null if it does not work now. */
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
  const { steps, tokens, cost: money } = usage;
  const timeMs = workedMs(budgets.spent, nowMs);
  const shares = limitShares(budgets, { steps, tokens, money, timeMs, since: null });
  const words = {
    steps: [steps.toLocaleString('en'), budgets.steps.toLocaleString('en')],
    tokens: [tokens.toLocaleString('en'), budgets.tokens.toLocaleString('en')],
    money: [moneyLabel(money), moneyLabel(budgets.money)],
    time: [lengthLabel(timeMs), lengthLabel(budgets.timeMs)],
  } as const;
  const isShown = {
    steps: mind === undefined || !isForeign(mind),
    tokens: true,
    money: budgets.money !== FREE_RUN_MONEY,
    time: budgets.spent !== undefined,
  };
  return RUN_LIMITS.filter((of) => isShown[of])
    .map((of) => ({ of, used: words[of][0], limit: words[of][1], share: Math.min(1, shares[of]) }))
    .toSorted((left, right) => right.share - left.share);
}

function workedMs(spent: Worked | undefined, nowMs: number): number {
  if (spent === undefined) return 0;
  return spent.timeMs + (spent.since === null ? 0 : Math.max(0, nowMs - Date.parse(spent.since)));
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
