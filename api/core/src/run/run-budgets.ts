import { formatAiDollars, parseAiDollars, type RunBudgets } from '@hamlet/contract';
import { tokenCost } from '../economy/usage-cost.ts';

/** Expected tokens of one answer; with shorter answers a run reaches its budget of steps first. */
const TOKENS_PER_STEP = 1_000;
const STEPS_MIN = 20;
const STEPS_MAX = 1_000;
/** Six hours of work, in seconds. */
const TIME_MS = 21_600_000;
const IDLE_CALLS = 10;
/** Tokens of a run whose tier has no model: its runtime may still count steps and time. */
const TOKENS_MIN = 1_000;

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
    money: formatAiDollars(cost > 0n ? cost : 1n),
    timeMs: TIME_MS,
    idleCalls: IDLE_CALLS,
  };
}
