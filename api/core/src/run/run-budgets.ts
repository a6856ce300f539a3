import {
  formatAiDollars,
  FREE_RUN_MONEY,
  parseAiDollars,
  RUN_LIMITS,
  type RaisedBudgets,
  type RunBudgets,
  type RunSpent,
} from '@hamlet/contract';
import { tokenCost } from '../economy/usage-cost.ts';

/**
 * Expected tokens of one step, the whole prompt included: it begins with 4,500 tokens and grows by about 1,200 a step,
 * until a context of 32,768 is summarized at four fifths. With longer prompts a run reaches its budget of tokens first.
 */
const TOKENS_PER_STEP = 20_000;
/** A coding task takes about 40 steps. */
const STEPS_MIN = 40;
const STEPS_MAX = 1_000;
/** Six hours of work, in seconds. */
const TIME_MS = 21_600_000;
const IDLE_CALLS = 10;
/** Tokens of a run whose tier has no model: its runtime may still count steps and time. */
const TOKENS_MIN = 1_000;

type RunLimit = (typeof RUN_LIMITS)[number];

/** Hourly limits of a tier, and its price for a thousand tokens in aiDollars. */
export interface TierOfRun {
  readonly tokensPerHour: number | null;
  readonly perThousandTokens: string;
}

/** The default budgets of a run: at most the hourly tokens of its tier and their price. Pure. */
export function runBudgets(tier: TierOfRun | null): RunBudgets {
  const tokens = Math.max(TOKENS_MIN, tier?.tokensPerHour ?? 0);
  const cost = tokenCost(tokens, parseAiDollars(tier?.perThousandTokens ?? '0'));
  return {
    steps: Math.min(STEPS_MAX, Math.max(STEPS_MIN, Math.floor(tokens / TOKENS_PER_STEP))),
    tokens,
    money: cost > 0n ? formatAiDollars(cost) : FREE_RUN_MONEY,
    timeMs: TIME_MS,
    idleCalls: IDLE_CALLS,
  };
}

/** The share of each limit that a run has used. Pure. */
export function limitShares(limits: RunBudgets, spent: RunSpent): Readonly<Record<RunLimit, number>> {
  return {
    steps: spent.steps / limits.steps,
    tokens: spent.tokens / limits.tokens,
    money: Number(parseAiDollars(spent.money)) / Number(parseAiDollars(limits.money)),
    time: spent.timeMs / limits.timeMs,
  };
}

/** The limit of which a run has used the greatest share. Pure. */
export function firstLimit(limits: RunBudgets, spent: RunSpent): RunLimit {
  const shares = limitShares(limits, spent);
  return RUN_LIMITS.reduce((first, limit) => (shares[limit] > shares[first] ? limit : first));
}

const RAISED = ['steps', 'tokens', 'money', 'timeMs'] as const;
type Limits = Pick<RunBudgets, (typeof RAISED)[number]>;

/** A run under way. `used`: by the run and its workers so far; a share that a worker has not used does not count. `fresh`: the budgets of a new run. */
export interface RaiseFacts {
  readonly budgets: RunBudgets;
  readonly used: Limits;
  readonly fresh: RunBudgets;
}

export type RaiseVerdict =
  | { readonly kind: 'raised'; readonly budgets: RunBudgets }
  | { readonly kind: 'same' }
  /** `most`: the greatest value of the limit now. */
  | { readonly kind: 'too_high'; readonly limit: keyof Limits; readonly most: string };

/**
 * The new limits of a run. A limit never falls, and leaves the run at most as much as a new run has. Use beyond a limit
 * does not count, because agents claim steps and tokens themselves. Pure.
 */
export function decideRaise({ budgets, used, fresh }: RaiseFacts, asked: RaisedBudgets): RaiseVerdict {
  const next: Record<string, number | string> = {};
  for (const limit of RAISED) {
    const now = unitsOf(limit, budgets[limit]);
    const usedWithin = lesser(now, unitsOf(limit, used[limit]));
    const most = greater(now, usedWithin + unitsOf(limit, fresh[limit]));
    const wanted = asked === 'refill' ? most : greater(now, unitsOf(limit, asked[limit] ?? 0));
    if (wanted > most) return { kind: 'too_high', limit, most: String(valueOf(limit, most)) };
    if (wanted > now) next[limit] = valueOf(limit, wanted);
  }
  return Object.keys(next).length === 0 ? { kind: 'same' } : { kind: 'raised', budgets: { ...budgets, ...next } };
}

const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);
/** Money in millionths of an aiDollar, any other limit as it is. */
const unitsOf = (limit: keyof Limits, value: string | number): bigint =>
  limit === 'money' ? parseAiDollars(String(value)) : BigInt(value);
const valueOf = (limit: keyof Limits, units: bigint): string | number =>
  limit === 'money' ? formatAiDollars(units) : Number(units);
