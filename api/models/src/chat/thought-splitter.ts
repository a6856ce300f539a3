import type { Finish } from './chat-delta.ts';

/** `endsThoughts`: all text before the piece was thoughts, as in AdapterDelta. */
export interface SplitPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
  readonly endsThoughts?: true;
}

/** The tags in which models write thoughts at the beginning of a text if their server does not separate them. */
const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
] as const;

/** Many templates of Qwen and DeepSeek open the thoughts in the prompt, so that the text has only the closing tag. */
const [[OPEN, CLOSE]] = TAGS;
/** Characters after a closing tag that an answer only quotes. */
const QUOTES = '`"\'';

/** The length of the longest end of a text that may be the beginning of the tag. */
function openLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (tag.startsWith(text.slice(-length))) return length;
  return 0;
}

/**
 * Splits the pieces of a text into the thoughts at its beginning, in tags, and the answer. Holds back a possible part of a tag.
 * A closing tag without an opening one turns all text before it into thoughts; the caller already has that text, so the piece with
 * the tag says so. Mutable because a tag may span several pieces.
 */
export class ThoughtSplitter {
  /** In `answer` a closing tag may still follow; in `settled` all further text is the answer. */
  #state: 'start' | 'thoughts' | 'answer' | 'after' | 'settled' = 'start';
  #close: string = CLOSE;
  #held = '';
  #isSeparated = false;
  #isBare = false;
  /** Thoughts that no tag has opened. */
  #unopened = '';
  readonly #isOpened: boolean;

  /** @param isOpened true if a text without an opening tag begins with thoughts. */
  constructor(isOpened = false) {
    this.#isOpened = isOpened;
  }

  /** True if the text begins with thoughts, as far as it is known, and no tag in it opens them. */
  get isBare(): boolean {
    return this.#isBare;
  }

  /** The server separates thoughts itself: a closing tag without an opening one is a part of the answer. */
  noteSeparated(): void {
    this.#isSeparated = true;
  }

  /** True if the piece is a part of the answer and needs no change. */
  passes(text: string): boolean {
    return this.#held === '' && (this.#state === 'settled' || (this.#state === 'answer' && !text.includes('<')));
  }

  *take(text: string): Generator<SplitPiece> {
    this.#held += text;
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'thoughts') yield* this.#think();
    if (this.#state === 'answer') yield* this.#seek();
    if (this.#state === 'after') this.#held = this.#held.trimStart();
    if (this.#state === 'after' && this.#held !== '') this.#state = 'settled';
    if (this.#state === 'settled') yield* this.#pass('text', this.#held.length);
  }

  #begin(): void {
    const begun = this.#held.trimStart();
    const tag = TAGS.find(([open]) => begun.startsWith(open));
    if (tag !== undefined) {
      [, this.#close] = tag;
      this.#held = begun.slice(tag[0].length);
      this.#state = 'thoughts';
    } else if (!TAGS.some(([open]) => open.startsWith(begun))) {
      this.#isBare = this.#isOpened && !this.#isSeparated;
      if (this.#isBare) this.#state = 'thoughts';
      else this.#state = this.#isSeparated ? 'settled' : 'answer';
    }
  }

  *#think(): Generator<SplitPiece> {
    const at = this.#held.indexOf(this.#close);
    const end = at < 0 ? this.#held.length - openLength(this.#held, this.#close) : at;
    if (this.#isBare) this.#unopened += this.#held.slice(0, end);
    yield* this.#pass('reasoning', end);
    if (at < 0) return;
    this.#held = this.#held.slice(this.#close.length);
    this.#state = 'after';
  }

  /** Passes on the answer before a tag, or before its possible beginning. */
  *#seek(): Generator<SplitPiece> {
    const opens = this.#held.indexOf(OPEN);
    const at = this.#held.indexOf(CLOSE);
    if (opens >= 0 && (at < 0 || opens < at)) this.#state = 'settled';
    else if (at < 0)
      yield* this.#pass(
        'text',
        this.#held.length - Math.max(openLength(this.#held, OPEN), openLength(this.#held, CLOSE)),
      );
    else {
      yield* this.#pass('text', at);
      const next = this.#held.charAt(CLOSE.length);
      if (next !== '' && QUOTES.includes(next)) this.#state = 'settled';
      else if (next !== '') yield* this.#closeBare();
    }
  }

  *#closeBare(): Generator<SplitPiece> {
    yield { kind: 'text', text: CLOSE, endsThoughts: true };
    this.#held = this.#held.slice(CLOSE.length);
    this.#state = 'after';
    this.#isBare = true;
  }

  *#pass(kind: SplitPiece['kind'], length: number): Generator<SplitPiece> {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    if (text !== '') yield { kind, text };
  }

  /**
   * The rest that was held back, at the end of the text. Thoughts that no tag has opened or closed are the answer, unless the text was
   * cut off.
   */
  *end(finish: Finish): Generator<SplitPiece> {
    if (this.#state === 'answer' && this.#held === CLOSE) yield* this.#closeBare();
    const unopened = this.#unopened + this.#held;
    yield* this.#pass(this.#state === 'thoughts' ? 'reasoning' : 'text', this.#held.length);
    if (this.#state !== 'thoughts' || !this.#isBare || finish === 'length') return;
    this.#isBare = false;
    yield { kind: 'text', text: unopened };
  }
}
