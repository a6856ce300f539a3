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

export const isBudgetCode = (code: string | undefined): boolean => CODES.some(([, known]) => known === code);

/** The limits after a raise, each the greater one; null if none grows. */
export function raisedBudgets(now: Budgets, given: Budgets): Budgets | null {
  if (CODES.every(([key]) => given[key] <= now[key])) return null;
  const greater = (key: keyof Budgets): number => Math.max(now[key], given[key]);
  const [steps, tokens, moneyMicros] = [greater('steps'), greater('tokens'), greater('moneyMicros')];
  return { steps, tokens, moneyMicros, timeMs: greater('timeMs'), idleCalls: greater('idleCalls') };
}

/** The rest of the limits of a run after a number of turns, for the model. `isRaised`: a person has just raised the limits. */
export type Count = Readonly<{ left: RunLeft; afterTurns: number; isRaised: boolean }>;
/** `moneyMicros`: null if the models cost nothing. */
export type RunLeft = Readonly<{ steps: number; tokens: number; moneyMicros: number | null }>;

type Used = Readonly<{ spent: Budgets; budgets: Budgets }>;
const COUNTED = ['steps', 'tokens', 'moneyMicros'] as const;
const TENTHS = 10;

/** True if another tenth of a limit is used since `before`: the model then reads what is left, at most ten times a limit. */
export const isTenthUsed = (before: Used, after: Used): boolean =>
  COUNTED.some((key) => isLimit(after.budgets, key) && tenthOf(after, key) > tenthOf(before, key));

const tenthOf = ({ spent, budgets }: Used, key: (typeof COUNTED)[number]): number =>
  Math.min(TENTHS, Math.floor((spent[key] / budgets[key]) * TENTHS));

/** Free models have a limit of one millionth, because a limit is above zero. */
const isLimit = ({ moneyMicros }: Budgets, key: (typeof COUNTED)[number]): boolean =>
  key !== 'moneyMicros' || moneyMicros > 1;

export function leftOf({ spent, budgets }: Used): RunLeft {
  const left = (key: (typeof COUNTED)[number]): number => Math.max(0, budgets[key] - spent[key]);
  const moneyMicros = isLimit(budgets, 'moneyMicros') ? left('moneyMicros') : null;
  return { steps: left('steps'), tokens: left('tokens'), moneyMicros };
}

const MILLION = 1_000_000;
const UNITS = [
  { size: 1_000_000_000, letter: 'B' },
  { size: MILLION, letter: 'M' },
  { size: 1_000, letter: 'K' },
] as const;
/** A count from this part of a unit on rounds up to the unit: 999,950 is `1M`. */
const ROUNDS_UP_FROM = 0.999_95;

/** `1.8M`, as Intl.NumberFormat writes it. Its language data would take 8 MB of each resident. */
function short(count: number): string {
  const unit = UNITS.find(({ size }) => count >= size * ROUNDS_UP_FROM);
  return unit === undefined ? String(count) : `${String(Math.round((count / unit.size) * 10) / 10)}${unit.letter}`;
}

/** `[Left: 36 answers, 1.8M tokens, 0.16 aiDollars]`: a few tokens. */
export function countMessage({ left: { steps, tokens, moneyMicros }, isRaised }: Count): string {
  const money = moneyMicros === null ? '' : `, ${(moneyMicros / MILLION).toFixed(2)} aiDollars`;
  const left = `[Left: ${short(steps)} answers, ${short(tokens)} tokens${money}]`;
  return isRaised ? `A person raised the limits of this run: continue as planned. ${left}` : left;
}

/** `next`: what the next answer is expected to use. */
export type Account = Readonly<{ spent: Budgets; budgets: Budgets; next: Partial<Budgets> }>;

/** `last`: the budget has room for about one more request. `over`: it has none. */
export type Pressure = Readonly<{ level: 'near' | 'last' | 'over'; code: BudgetCode }>;

const LEVELS: readonly Pressure['level'][] = ['over', 'last', 'near'];
/** The last request repeats the previous one and adds some results. */
const GROWTH = 1.25;

/** The pressed budgets of this run and its parents, the most urgent first, each code once. */
export function budgetPressures(accounts: readonly Account[]): readonly Pressure[] {
  const found = accounts.flatMap(pressuresOn);
  if (found.length < 2) return found;
  const sorted = LEVELS.flatMap((level) => found.filter((pressure) => pressure.level === level));
  return sorted.filter(({ code }, index) => sorted.findIndex((other) => other.code === code) === index);
}

function pressuresOn(account: Account): readonly Pressure[] {
  const found: Pressure[] = [];
  for (const [key, code] of CODES) {
    const level = levelOf(account, key);
    if (level !== null) found.push({ level, code });
  }
  return found;
}

function levelOf({ spent, budgets, next }: Account, key: keyof Budgets): Pressure['level'] | null {
  const used = spent[key];
  const limit = budgets[key];
  const more = next[key] ?? 0;
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
