import type { AdapterDelta, Finish } from '../../chat/chat-delta.ts';
import { ModelFault } from '../../chat/model-error.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { isErrorReport } from '../../transport/error-report.ts';
import type { AnswerReader } from '../json-adapter.ts';
import { CALL_EXTRAS, REASONING_DETAILS, seal, THINKING_PART } from '../sealed-thought.ts';
import { CallSlots, type CallPiece } from './call-slots.ts';
import { contentPieces, isFields, replyOf, type Choice, type Fields, type Message } from './chat-message.ts';
import { addDetails, type Detail } from './reasoning-details.ts';

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** The fields of a choice that may say more than its delta. */
const MORE_OF_CHOICE = ['message', 'finish_reason', 'logprobs'] as const;

/** The only choice of a chunk that has neither an error nor a usage; null for every other chunk. */
function onlyChoiceOf(chunk: unknown): Fields | null {
  if (!isFields(chunk) || !isNothing(chunk['error']) || !isNothing(chunk['usage'])) return null;
  const { choices } = chunk;
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : null;
  return isFields(choice) && MORE_OF_CHOICE.every((field) => isNothing(choice[field])) ? choice : null;
}

/** The fields of a delta that may say more than its text. */
const MORE = [
  'refusal',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'reasoning_items',
  'tool_calls',
  'function_call',
] as const;

/**
 * The text of a chunk that has only text, like nearly all chunks of a stream; null for any other chunk. A fast path: it
 * makes no value of a message.
 */
function plainTextOf(chunk: unknown): string | null {
  const delta = onlyChoiceOf(chunk)?.['delta'];
  if (!isFields(delta) || typeof delta['content'] !== 'string') return null;
  return MORE.every((field) => isNothing(delta[field])) ? delta['content'] : null;
}

/** Reads what official clients accept: servers differ in the form of nearly every field. Mutable. */
export class ChatReplyReader implements AnswerReader {
  readonly #slots = new CallSlots();
  readonly #nowMs: () => number;
  #refusal = '';
  #finish = '';
  #hasChoice = false;
  #isThinkingInParts = false;
  readonly #details: Detail[] = [];
  /** Contents that the provider attached to calls, with their ids. */
  readonly #extras: object[] = [];
  #raw: unknown = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isFinished(): boolean {
    return this.#finish !== '';
  }

  read(chunk: unknown): Iterable<AdapterDelta> {
    this.#raw = chunk;
    const words = this.#isThinkingInParts ? null : plainTextOf(chunk);
    if (words === null) return this.#take(chunk);
    this.#hasChoice = true;
    return words === '' ? [] : [{ kind: 'text', text: words }];
  }

  readWhole(body: unknown): Iterable<AdapterDelta> {
    return this.read(body);
  }

  *#take(chunk: unknown): Generator<AdapterDelta> {
    if (isErrorReport(chunk)) throw classifyError({ body: chunk }, this.#nowMs());
    const { choice, usage } = replyOf(chunk);
    if (choice !== null) yield* this.#choice(choice);
    if (usage !== null) yield { kind: 'usage', usage };
  }

  *#choice({ delta, message, finish, logprobs }: Choice): Generator<AdapterDelta> {
    if (delta !== null) yield* this.#message(delta, (piece) => this.#slots.of(piece));
    // Some servers repeat the whole message at the end of a stream.
    else if (message !== null && !this.#hasChoice) yield* this.#message(message, (_piece, position) => position);
    if (logprobs.length > 0) yield { kind: 'logprobs', tokens: logprobs };
    this.#hasChoice = true;
    this.#finish = finish || this.#finish;
  }

  /** The calls of a whole message are complete, and those of a delta are pieces. */
  *#message(message: Message, slotOf: (piece: CallPiece, position: number) => number): Generator<AdapterDelta> {
    yield* this.#thoughts(message);
    yield* this.#content(message);
    this.#refusal += message.refusal;
    for (const [position, piece] of message.calls.entries()) {
      const { id, name, arguments: written, extra } = piece;
      if (extra !== null) this.#extras.push({ id, extra_content: extra });
      yield { kind: 'tool', slot: slotOf(piece, position), id, name, arguments: written };
    }
  }

  *#thoughts({ items, details, thoughts }: Message): Generator<AdapterDelta> {
    addDetails(this.#details, details);
    for (const item of items) yield { kind: 'reasoning', ...item };
    if (items.length === 0 && thoughts !== '') yield { kind: 'reasoning', text: thoughts };
  }

  *#content({ content }: Message): Generator<AdapterDelta> {
    for (const { kind, text } of contentPieces(content)) {
      if (text === '') continue;
      if (kind === 'refusal') this.#refusal += text;
      else if (kind === 'thought') {
        this.#isThinkingInParts = true;
        yield { kind: 'reasoning', text };
      } else {
        yield* this.#endThinking();
        yield { kind: 'text', text };
      }
    }
  }

  *#endThinking(): Generator<AdapterDelta> {
    if (this.#isThinkingInParts) yield { kind: 'reasoning', text: '', sealed: seal({ type: THINKING_PART }) };
    this.#isThinkingInParts = false;
  }

  *end(isComplete: boolean): Generator<AdapterDelta> {
    this.#checkEnd(isComplete);
    yield* this.#endThinking();
    if (this.#details.length > 0)
      yield { kind: 'reasoning', text: '', sealed: seal({ type: REASONING_DETAILS, details: this.#details }) };
    if (this.#extras.length > 0)
      yield { kind: 'reasoning', text: '', sealed: seal({ type: CALL_EXTRAS, extras: this.#extras }) };
    yield { kind: 'end', finish: FINISH[this.#finish] ?? 'stop', raw: this.#raw };
  }

  /** Throws if the answer is refused or incomplete. */
  #checkEnd(isComplete: boolean): void {
    if (this.#refusal !== '') throw new ModelFault('content_refused', `the model refuses: ${this.#refusal}`);
    if (this.#finish === 'content_filter')
      throw new ModelFault('content_refused', 'the content filter of the provider stopped the answer');
    if (FAILED.has(this.#finish)) throw new ModelFault('overloaded', 'the provider failed while it answered');
    if (isComplete && !this.#hasChoice)
      throw new ModelFault('bad_answer', 'the provider sent an answer without a choice');
    if (this.#finish === '' && !isComplete)
      throw new ModelFault('network', 'the provider closed the answer before its end');
  }
}

const FAILED: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource']);

const FINISH: Readonly<Record<string, Finish>> = {
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
};
