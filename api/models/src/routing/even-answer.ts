import type { AdapterDelta } from '../chat/chat-delta.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { ThoughtSplitter } from '../chat/thought-splitter.ts';
import { WholeCharacters } from '../chat/whole-characters.ts';
import type { AnswerLimits } from '../transport/answer-limits.ts';
import { CallCheck } from './call-check.ts';

/**
 * Gives the pieces of every adapter the same form: well-formed text, thoughts apart from the answer, complete calls.
 * Mutable because a character, a tag and a call may span several pieces.
 */
export class EvenAnswer {
  readonly #characters = new WholeCharacters();
  readonly #thoughtCharacters = new WholeCharacters();
  readonly #splitter: ThoughtSplitter;
  readonly #calls: CallCheck;

  /** @param isOpened true if the prompt opens thoughts, so that a text without tags begins with them. */
  constructor(request: ChatRequest, limits: Pick<AnswerLimits, 'toolCalls'>, isOpened: boolean) {
    this.#calls = new CallCheck(request, limits);
    this.#splitter = new ThoughtSplitter(isOpened);
  }

  /** True if the text closed thoughts that it had not opened. */
  get isOpened(): boolean {
    return this.#splitter.isBare;
  }

  take(delta: AdapterDelta): Iterable<AdapterDelta> {
    return this.#isEven(delta) ? [delta] : this.#even(delta);
  }

  /** True for a piece that needs no change, like nearly all of a stream. */
  #isEven(delta: AdapterDelta): boolean {
    return (
      delta.kind === 'text' &&
      this.#splitter.passes(delta.text) &&
      this.#characters.isWhole(delta.text) &&
      delta.text !== ''
    );
  }

  *#even(delta: AdapterDelta): Generator<AdapterDelta> {
    switch (delta.kind) {
      case 'text':
        yield* this.#splitter.take(this.#characters.take(delta.text));
        return;
      case 'reasoning': {
        this.#splitter.noteSeparated();
        const text = this.#thoughtCharacters.take(delta.text);
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
        yield* this.#splitter.end(delta.finish);
        yield* this.#calls.end();
        yield { ...delta, finish: this.#calls.finishOf(delta.finish) };
        return;
      default:
        delta satisfies never;
    }
  }
}
