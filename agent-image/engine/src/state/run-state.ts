import type { Count } from '../budget/budget.ts';
import {
  MAX_CALLS_PER_ANSWER,
  type BudgetCode,
  type Budgets,
  type ClosedOutcome,
  type EventOf,
  type Finish,
} from '../journal/event.ts';
import type { CallState, Parked } from './call-state.ts';
import { flowCalls, type FlowState } from './flow-state.ts';

export type Turn = Readonly<{
  message: string;
  hasText: boolean;
  finish: Finish;
  calls: readonly CallState[];
  /** The answer held to the schema of the run; absent if it was not. */
  output?: EventOf<'model_answered'>['output'];
}>;

export type Spent = Budgets;

/** The request to the model that is in progress, or the last one. Consecutive failures are counted. */
export type Asking = Readonly<{
  phase: 'idle' | 'asking' | 'failed';
  ask: number;
  attempt: number;
  /** Number of attempts before the run was parked for the last time. */
  attemptsBefore: number;
  failure: Failure | null;
}>;

export type Failure = Readonly<{ code: string; retryable: boolean; retryAfterMs: number | null }>;

/** A message to the model of the engine itself, after a number of turns. */
export type Warning = Readonly<{ code: BudgetCode; afterTurns: number }>;
export type Finishing = Readonly<{ code: string; afterTurns: number }>;

export type RunState = Readonly<{
  opened: EventOf<'run_opened'>;
  /** The limits of the run as they are now. */
  budgets: Budgets;
  fence: number;
  stage: 'none' | 'open' | 'closed';
  /** The stages of its plan; null of a run that a model leads. */
  flow: FlowState | null;
  turns: readonly Turn[];
  asking: Asking;
  spent: Spent;
  /** The usage of the newest answer: about what the next one will use. */
  lastAnswer: Readonly<{ tokens: number; moneyMicros: number }>;
  warned: readonly Warning[];
  /** Number of warnings before the limits were last raised; the others are not repeated. */
  warnedBefore: number;
  counts: readonly Count[];
  finishing: Finishing | null;
  /** Null while an engine works on the run. */
  parked: Parked | null;
  /** Number of times that the run was parked since the newest answer. */
  parks: number;
  /** The last calls with their results, newest last, to detect a run without progress. */
  recentCalls: readonly string[];
  volumeLost: boolean;
  cancelled: boolean;
  interrupted: boolean;
  /** The summary of the conversation before this run and of its first turns. */
  compacted: Readonly<{ summary: string; turns: number }> | null;
  outcome: ClosedOutcome | null;
}>;

export const currentTurn = (state: RunState): Turn | undefined => state.turns.at(-1);

export const currentCalls = (state: RunState): readonly CallState[] =>
  state.flow === null ? (currentTurn(state)?.calls ?? []) : flowCalls(state.flow);

/** The turn in progress still gets its results; a request in progress still has its tools. */
export const finishAfter = ({ turns, asking }: RunState): number => turns.length + Number(asking.phase === 'asking');

/** True if the next request, or the one in progress, has no tools and asks for a summary. */
export const isLastRequest = ({ turns, finishing }: RunState): boolean =>
  finishing !== null && turns.length >= finishing.afterTurns;

export const isEmpty = ({ calls, hasText }: Turn): boolean => calls.length === 0 && !hasText;

/** True if the text of the turn reached the limit of tokens, so that the next turn continues it. */
export const isCut = ({ calls, hasText, finish }: Turn): boolean =>
  calls.length === 0 && hasText && finish === 'length';

/** True if the answer of the turn does not fit the schema of the run. */
export const isUnfit = ({ output }: Turn): boolean => output !== undefined && output.code !== null;

/** Maximum number of answers without words and calls in a row. */
export const MAX_EMPTY_ANSWERS = 3;

/** The newest turns without words and calls. */
export const emptyTurns = ({ turns }: RunState): number =>
  turns.length - 1 - turns.findLastIndex((turn) => !isEmpty(turn));

/** The newest turns whose texts are one text: the last one, and those before it that were cut. */
export function textTurns({ turns }: Pick<RunState, 'turns'>): readonly Turn[] {
  const words = turns.filter((turn) => !isEmpty(turn));
  const whole = words.slice(0, -1).findLastIndex((turn) => !isCut(turn));
  return words.slice(whole + 1);
}

/** True if the next answer continues a text that was cut. */
export function isContinued(state: Pick<RunState, 'turns'>): boolean {
  const last = textTurns(state).at(-1);
  return last !== undefined && isCut(last);
}

/** Maximum number of answers that are parts of one text. */
const MAX_TEXT_PARTS = 6;

/**
 * How the words of the newest turn end their run: `done`, the code of a failure, or null if another answer is needed. With a schema, only
 * an answer that fits is the end.
 */
export function endOfWords(state: RunState, turn: Turn): 'done' | 'answer_cut' | 'output_not_valid' | null {
  if (isCut(turn)) return textTurns(state).length < MAX_TEXT_PARTS ? null : 'answer_cut';
  const { output } = state.opened;
  if (output === undefined || turn.output?.code === null) return 'done';
  return state.turns.filter(isUnfit).length < output.answers ? null : 'output_not_valid';
}

/** The wait until the first of the open calls may continue, if all of them are parked; otherwise null. */
export function waitOfCalls(state: RunState): Parked | null {
  const open = currentCalls(state).filter(({ phase }) => phase !== 'settled');
  const waits = open.flatMap(({ phase, parked }) => (phase === 'parked' && parked !== null ? parked : []));
  const [first] = waits.toSorted((one, other) => one.waitMs - other.waitMs);
  return first === undefined || waits.length < open.length ? null : { code: first.code, waitMs: first.waitMs };
}

/** Ids of calls that may have had an effect that no settlement records, at most as many as the event has room for. */
export const unsettledCalls = (state: RunState): readonly string[] =>
  callsAtEnd(state)
    .filter(
      (call) => call.attempt > 0 && call.effect !== 'read' && (call.phase !== 'settled' || call.outcome === 'unknown'),
    )
    .map((call) => call.id)
    .slice(0, MAX_CALLS_PER_ANSWER);

const callsAtEnd = (state: RunState): readonly CallState[] =>
  state.flow === null ? currentCalls(state) : [...state.flow.stages.values()].flatMap(({ calls }) => calls);
