import {
  formatAiDollars,
  RUN_ANSWER_MAX_CHARS,
  RUN_COUNT_MAX,
  RUN_REASON_MAX_CHARS,
  RUN_SUMMARY_MAX_CHARS,
  storableText,
} from '@hamlet/contract/resident';
import type { Refusal, RunStep } from '@hamlet/contract';
import { RunFailure, type Budgets, type RuntimeOutcome } from '@hamlet/engine';
import { shorten } from '@hamlet/core/shorten';
import type { RunEnd, RunLease } from '../village/village.ts';
import type { Progress } from './run-work.ts';

const CODE_MAX_CHARS = 64;
/** The API accepts at most this many. */
const UNSETTLED_MAX = 64;

export type EndedRun = Omit<RunEnd, keyof RunLease>;

export type Closed = Extract<RuntimeOutcome, { kind: 'done' | 'failed' | 'cancelled' }>;

export function endOf(
  outcome: Closed,
  spent: Budgets | null,
  { progress, steps }: { readonly progress: Progress; readonly steps: readonly RunStep[] },
): EndedRun {
  const usage = spent === null ? {} : { usage: usageOf(spent) };
  switch (outcome.kind) {
    case 'done': {
      const text = outcome.text.trim();
      const answer = text === '' ? {} : { answer: cut(outcome.text, RUN_ANSWER_MAX_CHARS) };
      const summary = cut(text === '' ? 'Done.' : text, RUN_SUMMARY_MAX_CHARS);
      const output = outcome.output === undefined ? {} : { output: outcome.output };
      return { state: 'done', summary, ...answer, ...output, ...usage };
    }
    case 'failed': {
      const { code, message, text = '' } = outcome;
      return {
        ...failedEnd(new RunFailure(code, message), progress),
        ...lastWords(text, message),
        ...unsettledIn(outcome),
        ...usage,
      };
    }
    case 'cancelled':
      return { ...cancelledEnd(progress, steps, spent?.steps), ...unsettledIn(outcome), ...usage };
  }
}

/** The last words of the model about a run that ended before its work was done. */
function lastWords(text: string, message: string): Partial<EndedRun> {
  if (text.trim() === '') return {};
  return {
    summary: cut(`${message}\n\n${text.trim()}`, RUN_SUMMARY_MAX_CHARS),
    answer: cut(text, RUN_ANSWER_MAX_CHARS),
  };
}

/** The end of a run whose end the API refuses as malformed: short plain words, which it accepts. */
export const refusedEnd = (code: Refusal): EndedRun => ({
  state: 'failed',
  summary: 'The village refused the result of this run.',
  error: { code: 'result_refused', message: `The village refused the result of this run (${code}).` },
});

const unsettledIn = ({ unsettled }: { readonly unsettled: readonly string[] }) =>
  unsettled.length === 0 ? {} : { unsettled: unsettled.slice(0, UNSETTLED_MAX) };

/** Within what the API accepts: a run may exceed its budgets, but its result must arrive. */
const usageOf = ({ steps, tokens, moneyMicros }: Budgets) => ({
  steps: Math.min(steps, RUN_COUNT_MAX),
  tokens: Math.min(tokens, RUN_COUNT_MAX),
  cost: formatAiDollars(BigInt(moneyMicros)),
});

const cut = (text: string, maxChars: number): string => shorten(storableText(text), maxChars);

/** @param answers number of the model's answers, for a run whose calls are not recorded as steps */
export function cancelledEnd({ done, underWay }: Progress, steps: readonly RunStep[], answers = 0): EndedRun {
  const before = [...steps.map(({ text }) => text), ...done];
  const nothing =
    answers === 0
      ? 'before anything was done'
      : `after ${answers} ${answers === 1 ? 'answer' : 'answers'} of the model`;
  const report = before.length === 0 ? `Cancelled ${nothing}.` : `Cancelled. Done before that: ${before.join(' ')}`;
  const summary = underWay === null ? report : `${report} I was ${underWay}; that may have taken effect.`;
  return { state: 'cancelled', summary: cut(summary, RUN_SUMMARY_MAX_CHARS) };
}

export function failedEnd(error: unknown, { done }: Progress): EndedRun {
  const message = error instanceof Error ? error.message : String(error);
  const timedOut = error instanceof Error && error.name === 'TimeoutError';
  const code = error instanceof RunFailure ? error.code : timedOut ? 'timed_out' : 'runtime_failed';
  const summary = done.length === 0 ? message : `${done.join(' ')} ${message}`;
  return {
    state: 'failed',
    summary: cut(summary || 'It failed.', RUN_SUMMARY_MAX_CHARS),
    error: { code: cut(code, CODE_MAX_CHARS), message: cut(message || code, RUN_REASON_MAX_CHARS) },
  };
}
