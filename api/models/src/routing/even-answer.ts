import type { AdapterDelta } from '../chat/chat-delta.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { ThoughtSplitter } from '../chat/thought-splitter.ts';
import { WholeCharacters } from '../chat/whole-characters.ts';
import type { AnswerLimits } from '../transport/answer-limits.ts';
import { CallCheck } from './call-check.ts';
import { demandsJson, type Capabilities } from './fit-request.ts';

/**
 * Gives the pieces of every adapter the same form: well-formed text, thoughts apart from the answer, complete calls.
 * Mutable because a character, a tag and a call may span several pieces.
 */
export class EvenAnswer {
  readonly #characters = new WholeCharacters();
  readonly #thoughtCharacters = new WholeCharacters();
  readonly #splitter: ThoughtSplitter;
  readonly #calls: CallCheck;

  constructor(
    request: ChatRequest,
    limits: Pick<AnswerLimits, 'toolCalls'>,
    { thoughts }: Pick<Capabilities, 'thoughts'> = {},
  ) {
    this.#splitter = new ThoughtSplitter({ isOpened: thoughts === 'opened', isJson: demandsJson(request) });
    this.#calls = new CallCheck(request, limits);
  }

  /** True while pieces of the answer wait for its end. */
  get isHolding(): boolean {
    return this.#splitter.isHolding;
  }

  /** The pieces that wait for the end of an answer, if the answer breaks off before it. */
  *cut(): Generator<AdapterDelta> {
    if (this.isHolding) yield* this.#splitter.end();
  }

  take(delta: AdapterDelta): Iterable<AdapterDelta> {
    return this.#isEven(delta) ? [delta] : this.#even(delta);
  }

  /** True for a piece that needs no change, like nearly all of a stream. */
  #isEven(delta: AdapterDelta): boolean {
    return delta.kind === 'text' && this.#splitter.isPast && this.#characters.isWhole(delta.text) && delta.text !== '';
  }

  *#even(delta: AdapterDelta): Generator<AdapterDelta> {
    switch (delta.kind) {
      case 'text':
        yield* this.#splitter.take(this.#characters.take(delta.text));
        return;
      case 'reasoning': {
        const text = this.#thoughtCharacters.take(delta.text);
        if (text !== '') this.#splitter.noteSeparated();
        if (text !== '' || delta.sealed) yield { ...delta, text };
        return;
      }
      case 'tool':
        yield* this.#calls.take(delta);
        return;
      case 'usage':
      case 'logprobs':
        yield delta;
        return;
      case 'end':
        yield* this.#splitter.take(this.#characters.end());
        yield* this.#splitter.end();
        yield* this.#calls.end();
        yield { ...delta, finish: this.#calls.finishOf(delta.finish) };
        return;
      default:
        delta satisfies never;
    }
  }
}
