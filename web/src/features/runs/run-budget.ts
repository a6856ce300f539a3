import { parseAiDollars, type Run } from '@hamlet/contract';
import { moneyLabel } from '../../client/labels.ts';

/** One limit of a run with its use. */
export interface BudgetShare {
  readonly of: 'steps' | 'tokens' | 'money';
  readonly used: string;
  readonly limit: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** From this share on a person is warned. */
export const WARN_SHARE = 0.8;
/** The budget of a run whose tier charges nothing: one millionth, because a budget is above zero. */
const FREE = '0.000001';

/** The limits of a run, the one that ends first before the others; empty before the first start. */
export function budgetShares({ usage, budgets }: Pick<Run, 'usage' | 'budgets'>): readonly BudgetShare[] {
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
  return [number('steps'), number('tokens'), ...(budgets.money === FREE ? [] : [money])].toSorted(
    (left, right) => right.share - left.share,
  );
}

/** The limit that ends a run first, once most of it is used; null before. */
export function nearLimit(run: Pick<Run, 'usage' | 'budgets'>): BudgetShare | null {
  const [first] = budgetShares(run);
  return first !== undefined && first.share >= WARN_SHARE ? first : null;
}

/** `83 % of its tokens are used: 166,000 of 200,000`. */
export function shareLabel({ of, used, limit, share }: BudgetShare): string {
  return `${Math.floor(share * 100)} % of its ${of} ${of === 'money' ? 'is' : 'are'} used: ${used} of ${limit}`;
}
