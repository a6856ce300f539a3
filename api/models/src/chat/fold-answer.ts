import type {
  ChatDelta,
  ChatOutcome,
  FailedAttempt,
  PartialAnswer,
  ReasoningPiece,
  Spent,
  Target,
  ToolPiece,
} from './chat-delta.ts';
import type { ReasoningItem, ToolCall } from './chat-request.ts';
import type { ModelError } from './model-error.ts';

interface PartialCall {
  readonly slot: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface AnswerState {
  readonly target: Target | null;
  readonly content: string;
  readonly reasoning: string;
  readonly reasoningItems: readonly ReasoningItem[];
  readonly calls: readonly PartialCall[];
  readonly logprobs: readonly unknown[];
  readonly failedAttempts: readonly FailedAttempt[];
  readonly last: Extract<ChatDelta, { readonly kind: 'end' | 'failed' }> | null;
}

export const EMPTY_ANSWER: AnswerState = {
  target: null,
  content: '',
  reasoning: '',
  reasoningItems: [],
  calls: [],
  logprobs: [],
  failedAttempts: [],
  last: null,
};

function addPiece(calls: readonly PartialCall[], piece: ToolPiece): readonly PartialCall[] {
  const at = calls.findIndex(({ slot }) => slot === piece.slot);
  const old = calls[at] ?? { slot: piece.slot, id: '', name: '', arguments: '' };
  const joined = {
    slot: piece.slot,
    id: old.id === '' ? (piece.id ?? '') : old.id,
    name: old.name === '' ? (piece.name ?? '') : old.name,
    arguments: old.arguments + (piece.arguments ?? ''),
  };
  return at < 0 ? [...calls, joined] : calls.with(at, joined);
}

function addThought(
  items: readonly ReasoningItem[],
  { text, sealed = null }: ReasoningPiece,
): readonly ReasoningItem[] {
  const last = items.at(-1);
  if (last?.sealed === null) return items.with(-1, { text: last.text + text, sealed });
  return text === '' && sealed === null ? items : [...items, { text, sealed }];
}

/** Adds one piece to an answer. Pure. */
export function foldDelta(state: AnswerState, delta: ChatDelta): AnswerState {
  switch (delta.kind) {
    case 'begin':
      return { ...EMPTY_ANSWER, failedAttempts: state.failedAttempts, target: delta.target };
    case 'text':
      return { ...state, content: state.content + delta.text };
    case 'reasoning':
      return {
        ...state,
        reasoning: state.reasoning + delta.text,
        reasoningItems: addThought(state.reasoningItems, delta),
      };
    case 'tool':
      return { ...state, calls: addPiece(state.calls, delta) };
    case 'logprobs':
      return { ...state, logprobs: [...state.logprobs, ...delta.tokens] };
    case 'held':
      return state;
    case 'retry':
      return { ...state, failedAttempts: withAttempt(state, delta) };
    case 'end':
    case 'failed':
      return { ...state, last: delta };
    default:
      return delta satisfies never;
  }
}

function withAttempt(
  { failedAttempts, target }: AnswerState,
  { error, usage, costEstimate }: { readonly error: ModelError } & Spent,
): readonly FailedAttempt[] {
  return target === null ? failedAttempts : [...failedAttempts, { target, error, usage, costEstimate }];
}

/** The tool calls in the order of their slots. Empty arguments become `{}`. Pure. */
export function callsOf({ calls }: Pick<AnswerState, 'calls'>): readonly ToolCall[] {
  return calls
    .toSorted((a, b) => a.slot - b.slot)
    .map(({ id, name, arguments: text }) => ({ id, name, arguments: text.trim() === '' ? '{}' : text }));
}

/** The outcome of a finished answer. Throws if neither `end` nor `failed` was folded: the caller has a bug. Pure. */
export function outcomeOf(state: AnswerState): ChatOutcome {
  const { content, reasoning, reasoningItems, failedAttempts, target, last } = state;
  if (last === null) throw new Error('the stream has no end: fold all its pieces first');
  const { usage, costEstimate } = last;
  const partial: PartialAnswer = {
    target,
    content,
    reasoning,
    reasoningItems,
    toolCalls: callsOf(state),
    logprobs: state.logprobs,
    failedAttempts,
    usage,
    costEstimate,
  };
  if (last.kind === 'failed') return { ok: false, error: last.error, partial };
  if (target === null) throw new Error('the stream ended before it began');
  return { ok: true, answer: { ...partial, target, finish: last.finish, raw: last.raw } };
}

export async function collectAnswer(deltas: AsyncIterable<ChatDelta>): Promise<ChatOutcome> {
  let state = EMPTY_ANSWER;
  for await (const delta of deltas) state = foldDelta(state, delta);
  return outcomeOf(state);
}
