import type { Answer, BudgetCode, Budgets, ClosedOutcome, Effect, EventOf, OutcomeKind } from '../journal/event.ts';

/**
 * `requested` → (`asking` → `answered`) → `running` → `settled`. A running attempt with an unknown outcome becomes `unknown`;
 * then the call runs again, a person is asked, or it settles.
 */
export type CallPhase = 'requested' | 'asking' | 'answered' | 'running' | 'unknown' | 'settled';

export type QuestionAnswer = Readonly<{ answer: Answer | 'expired'; words: string | null }>;

export type CallQuestion = Readonly<{
  request: string;
  why: 'policy' | 'unknown';
  answer: QuestionAnswer['answer'] | null;
  words: QuestionAnswer['words'];
}>;

export const UNANSWERED = { answer: null, words: null } as const;

export type CallState = Readonly<{
  id: string;
  modelId: string;
  tool: string;
  arguments: string;
  /** The effect in the last intent; before the first intent, the effect in the model's answer. */
  effect: Effect | null;
  phase: CallPhase;
  attempt: number;
  key: string | null;
  question: CallQuestion | null;
  questions: number;
  outcome: OutcomeKind | null;
  result: string | null;
}>;

export type Turn = Readonly<{ message: string; hasText: boolean; calls: readonly CallState[] }>;

export type Spent = Budgets;

/** The request to the model that is in progress, or the last one. Consecutive failures are counted. */
export type Asking = Readonly<{
  phase: 'idle' | 'asking' | 'failed';
  ask: number;
  attempt: number;
  failure: Readonly<{ code: string; retryable: boolean }> | null;
}>;

export type RunState = Readonly<{
  opened: EventOf<'run_opened'>;
  fence: number;
  stage: 'none' | 'open' | 'closed';
  turns: readonly Turn[];
  asking: Asking;
  spent: Spent;
  warned: Readonly<{ code: BudgetCode; afterTurns: number }> | null;
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

export const currentCalls = (state: RunState): readonly CallState[] => currentTurn(state)?.calls ?? [];

/** Ids of calls that may have had an effect that no settlement records. */
export const unsettledCalls = (state: RunState): readonly string[] =>
  currentCalls(state)
    .filter(
      (call) => call.attempt > 0 && call.effect !== 'read' && (call.phase !== 'settled' || call.outcome === 'unknown'),
    )
    .map((call) => call.id);
