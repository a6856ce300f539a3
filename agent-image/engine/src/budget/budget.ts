import type { BudgetCode, Budgets } from '../journal/event.ts';

/** The share of a budget after which the engine asks the model to finish. */
const NEAR = 0.8;

const CODES: readonly (readonly [keyof Budgets, BudgetCode])[] = [
  ['steps', 'budget_steps'],
  ['tokens', 'budget_tokens'],
  ['moneyMicros', 'budget_money'],
  ['timeMs', 'budget_time'],
  ['idleCalls', 'no_progress'],
];

export type Account = Readonly<{ spent: Budgets; budgets: Budgets }>;

export type Pressure = Readonly<{ level: 'near' | 'over'; code: BudgetCode }> | null;

/** The (nearly) exhausted budget of this run or of its parents; null if none. One step left counts as nearly exhausted. */
export function budgetPressure(accounts: readonly Account[]): Pressure {
  let near: Pressure = null;
  for (const { spent, budgets } of accounts)
    for (const [key, code] of CODES) {
      if (spent[key] >= budgets[key]) return { level: 'over', code };
      const isNear = spent[key] >= budgets[key] * NEAR || (key === 'steps' && spent[key] >= budgets[key] - 1);
      if (isNear) near ??= { level: 'near', code };
    }
  return near;
}

const WORDS: Readonly<Record<BudgetCode, string>> = {
  budget_steps: 'steps',
  budget_tokens: 'tokens',
  budget_money: 'money',
  budget_time: 'time',
  no_progress: 'repeated calls with the same result',
};

export const finishMessage = (code: BudgetCode): string =>
  `This run has almost used up its budget of ${WORDS[code]} (${code}). Do not begin anything new. ` +
  'Answer now in words: say what is done, what is not done, and what comes next.';
