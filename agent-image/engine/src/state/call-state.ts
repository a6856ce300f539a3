import type { Answer, Effect, EventType, OutcomeKind } from '../journal/event.ts';

/**
 * `requested` → (`asking` → `answered`) → `running` → `settled`. A running attempt with an unknown outcome becomes `unknown`;
 * then the call runs again, a person is asked, or it settles. A `parked` call runs again when its run is resumed.
 */
export type CallPhase = 'requested' | 'asking' | 'answered' | 'running' | 'unknown' | 'parked' | 'settled';

export type QuestionAnswer = Readonly<{ answer: Answer | 'expired'; words: string | null }>;

export type CallQuestion = Readonly<{
  request: string;
  why: 'policy' | 'unknown';
  answer: QuestionAnswer['answer'] | null;
  words: QuestionAnswer['words'];
}>;

export const UNANSWERED = { answer: null, words: null } as const;

export type Parked = Readonly<{ code: string; waitMs: number }>;

export type CallState = Readonly<{
  id: string;
  modelId: string;
  tool: string;
  arguments: string;
  /** The effect in the last intent; before the first intent, the effect in the model's answer. */
  effect: Effect | null;
  phase: CallPhase;
  attempt: number;
  /** The wait of a parked call; null for one that was never parked. */
  parked: (Parked & Readonly<{ attempts: number }>) | null;
  key: string | null;
  question: CallQuestion | null;
  questions: number;
  outcome: OutcomeKind | null;
  result: string | null;
  /** The working time of the run when the newest attempt began, and between that and its end; null before. */
  begunMs: number | null;
  durationMs: number | null;
  /** True if the result is kept as `plainText` gives it. */
  isPlain: boolean;
}>;

/** True if an attempt of the call has begun and has not ended for this engine. */
export const isBegun = ({ phase }: CallState): boolean => phase === 'running' || phase === 'parked';

/** A call as it begins its life. */
export const NEW_CALL: Omit<CallState, 'id' | 'modelId' | 'tool' | 'arguments' | 'effect'> = {
  phase: 'requested',
  attempt: 0,
  parked: null,
  key: null,
  question: null,
  questions: 0,
  outcome: null,
  result: null,
  begunMs: null,
  durationMs: null,
  isPlain: false,
};

/** The call after an event, with its times. `nowMs`: the working time of the run. */
export function timed(call: CallState, type: EventType, nowMs: number): CallState {
  if (type === 'tool_intent') return { ...call, begunMs: nowMs };
  return type === 'tool_settled' && call.begunMs !== null ? { ...call, durationMs: nowMs - call.begunMs } : call;
}
