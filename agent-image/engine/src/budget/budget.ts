import type { BudgetCode, Budgets } from '../journal/event.ts';

/** The share of a budget after which the engine warns the model. Repeated calls are a warning long before they are the end. */
const NEAR: Readonly<Record<keyof Budgets, number>> = {
  steps: 0.8,
  tokens: 0.8,
  moneyMicros: 0.8,
  timeMs: 0.8,
  idleCalls: 0.3,
};

const CODES: readonly (readonly [keyof Budgets, BudgetCode])[] = [
  ['steps', 'budget_steps'],
  ['tokens', 'budget_tokens'],
  ['moneyMicros', 'budget_money'],
  ['timeMs', 'budget_time'],
  ['idleCalls', 'no_progress'],
];

/** `next`: what the next answer is expected to use. */
export type Account = Readonly<{ spent: Budgets; budgets: Budgets; next: Partial<Budgets> }>;

/** `last`: the budget has room for about one more request. `over`: it has none. */
export type Pressure = Readonly<{ level: 'near' | 'last' | 'over'; code: BudgetCode }>;

const LEVELS: readonly Pressure['level'][] = ['over', 'last', 'near'];
/** The last request repeats the one before it and has some results more. */
const GROWTH = 1.25;

/** The pressed budgets of this run and its parents, the most urgent first, each code once. */
export function budgetPressures(accounts: readonly Account[]): readonly Pressure[] {
  const found = accounts.flatMap((account) =>
    CODES.flatMap(([key, code]) => {
      const level = levelOf(account, key);
      return level === null ? [] : [{ level, code }];
    }),
  );
  const sorted = LEVELS.flatMap((level) => found.filter((pressure) => pressure.level === level));
  return sorted.filter(({ code }, index) => sorted.findIndex((other) => other.code === code) === index);
}

function levelOf({ spent, budgets, next }: Account, key: keyof Budgets): Pressure['level'] | null {
  const [used, limit, more = 0] = [spent[key], budgets[key], next[key]];
  if (used >= limit) return 'over';
  if (used > 0 && used + more >= limit) return 'last';
  return used >= limit * NEAR[key] ? 'near' : null;
}

/** The expected use of one more answer, from the newest one. */
export const nextUse = ({
  tokens,
  moneyMicros,
}: Readonly<{ tokens: number; moneyMicros: number }>): Partial<Budgets> => ({
  steps: 1,
  tokens: Math.ceil(tokens * GROWTH),
  moneyMicros: Math.ceil(moneyMicros * GROWTH),
});

const SPENT: Readonly<Record<BudgetCode, string>> = {
  budget_steps: 'its steps',
  budget_tokens: 'its tokens',
  budget_money: 'its money',
  budget_time: 'its time',
  no_progress: 'its attempts without progress',
};

export const warningMessage = (code: BudgetCode): string =>
  code === 'no_progress'
    ? `The last calls repeated earlier ones with the same results (${code}). Try another way, wait with a tool that waits, or finish.`
    : `This run has used most of ${SPENT[code]} (${code}). Bring what matters most to an end, and begin nothing that does not fit.`;

export function finishMessage(code: string): string {
  const spent = new Map(Object.entries(SPENT)).get(code);
  const why = spent === undefined ? 'This run ends now.' : `This run has used up ${spent}.`;
  return `${why} (${code}) This is the last answer, without tools. Say what is done, with its ids, links and paths, what is not done, and what comes next.`;
}
