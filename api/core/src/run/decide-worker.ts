import {
  formatAiDollars,
  FREE_RUN_MONEY,
  parseAiDollars,
  WORKER_TOKENS_MIN,
  WORKER_WIDTH_MAX,
  type RunBudgets,
  type WorkerError,
} from '@hamlet/contract';

/** Maximum depth: a worker may have workers, but those may have none. */
export const WORKER_DEPTH_MAX = 2;
const FREE_MICROS = parseAiDollars(FREE_RUN_MONEY);

interface Spending {
  readonly tokens: number;
  readonly moneyMicros: bigint;
}

export interface WorkerFacts {
  /** Depth of the run that delegates; 0 unless it is a worker. */
  readonly depth: number;
  readonly active: number;
  readonly budgets: RunBudgets;
  readonly moneyMicros: bigint;
  /** Budget that the run and its ended workers used, plus the budgets of its active workers. */
  readonly taken: Spending;
}

interface WorkerShare {
  readonly tokens?: number | undefined;
  readonly moneyMicros?: bigint | undefined;
}

type WorkerGuard = 'worker_too_deep' | 'worker_too_many' | 'worker_no_tokens' | 'worker_no_money';

type WorkerVerdict =
  | { readonly kind: 'begin'; readonly budgets: RunBudgets }
  | { readonly kind: 'refused'; readonly error: WorkerError & { readonly code: WorkerGuard } };

const refuse = (code: WorkerGuard, what: string, fix: string): WorkerVerdict => ({
  kind: 'refused',
  error: { code, what, fix },
});

/** Decides about a worker; its budgets come out of those of the delegating run. Pure. */
export function decideWorker(facts: WorkerFacts, share: WorkerShare): WorkerVerdict {
  const { depth, active } = facts;
  if (depth >= WORKER_DEPTH_MAX)
    return refuse(
      'worker_too_deep',
      `This run is a worker of depth ${depth}, and ${WORKER_DEPTH_MAX} is the limit.`,
      'Do this part yourself.',
    );
  if (active >= WORKER_WIDTH_MAX)
    return refuse(
      'worker_too_many',
      `${active} workers of this run are active, and ${WORKER_WIDTH_MAX} is the limit.`,
      'Wait for one of them, or do this part yourself.',
    );
  return shareOut(facts, share);
}

function shareOut({ budgets, moneyMicros, taken }: WorkerFacts, share: WorkerShare): WorkerVerdict {
  const tokensLeft = Math.max(0, budgets.tokens - taken.tokens);
  const tokens = share.tokens ?? Math.max(WORKER_TOKENS_MIN, Math.floor(tokensLeft / 2));
  if (tokens > tokensLeft)
    return refuse(
      'worker_no_tokens',
      `The worker needs ${tokens} tokens, and this run has ${tokensLeft} of ${budgets.tokens} left.`,
      tokensLeft < WORKER_TOKENS_MIN ? 'Finish with the results that you have.' : 'Ask for fewer tokens.',
    );
  if (moneyMicros <= FREE_MICROS) return { kind: 'begin', budgets: { ...budgets, tokens } };
  const moneyLeft = moneyMicros > taken.moneyMicros ? moneyMicros - taken.moneyMicros : 0n;
  const inProportion = (moneyLeft * BigInt(tokens)) / BigInt(tokensLeft);
  const money = share.moneyMicros ?? (inProportion > 0n ? inProportion : 1n);
  if (money > moneyLeft)
    return refuse(
      'worker_no_money',
      `The worker needs ${formatAiDollars(money)} aiDollars, and this run has ${formatAiDollars(moneyLeft)} of ${budgets.money} left.`,
      moneyLeft === 0n ? 'Finish with the results that you have.' : 'Ask for less money.',
    );
  return { kind: 'begin', budgets: { ...budgets, tokens, money: formatAiDollars(money) } };
}

const FIXES: readonly (readonly [RegExp, string])[] = [
  [/^budget_(tokens|money|steps|time)$/, 'Delegate a smaller part, or give it a greater share.'],
  [/^no_progress$/, 'Write the task in smaller steps, or do it yourself.'],
  [/^model_/, 'Delegate it again later.'],
  [/^(cancelled|cancel_unconfirmed)$/, 'Do not repeat it unless a person asks for it.'],
  [/^parent_ended$/, 'Delegate it again in another run.'],
  [/^call_denied$/, 'Do without this call, or ask a person.'],
  [/^unsettled$/, 'Check whether these calls had an effect before you repeat them.'],
];
const FIX = 'Do this part yourself, or delegate it again in other words.';

/** The failure of a worker, with advice. Pure. */
export function workerError({ code, message }: { readonly code: string; readonly message: string }): WorkerError {
  return { code, what: message, fix: FIXES.find(([pattern]) => pattern.test(code))?.[1] ?? FIX };
}
