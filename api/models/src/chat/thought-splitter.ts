export interface SplitPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/** The tags in which models write thoughts at the beginning of a text if their server does not separate them. */
const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
] as const;

/** The length of the longest end of a text that may be the beginning of the tag. */
function openLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (tag.startsWith(text.slice(-length))) return length;
  return 0;
}

/**
 * Splits the pieces of a text into the thoughts at its beginning, in tags, and the answer. Holds back what may be a part
 * of a tag. Mutable because a tag may span several pieces.
 */
export class ThoughtSplitter {
  #state: 'start' | 'thoughts' | 'after' | 'answer' = 'start';
  #close = '';
  #held = '';

  /** True once all further text is the answer. */
  get isPast(): boolean {
    return this.#state === 'answer';
  }

  *take(text: string): Generator<SplitPiece> {
    if (this.#state === 'answer') {
      if (text !== '') yield { kind: 'text', text };
      return;
    }
    this.#held += text;
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'thoughts') yield* this.#think();
    if (this.#state === 'after') this.#held = this.#held.trimStart();
    if (this.#state === 'after' && this.#held !== '') this.#state = 'answer';
    if (this.#state === 'answer') yield* this.end();
  }

  #begin(): void {
    const begun = this.#held.trimStart();
    const tag = TAGS.find(([open]) => begun.startsWith(open));
    if (tag !== undefined) {
      [, this.#close] = tag;
      this.#held = begun.slice(tag[0].length);
      this.#state = 'thoughts';
    } else if (!TAGS.some(([open]) => open.startsWith(begun))) this.#state = 'answer';
  }

  *#think(): Generator<SplitPiece> {
    const at = this.#held.indexOf(this.#close);
    const end = at < 0 ? this.#held.length - openLength(this.#held, this.#close) : at;
    if (end > 0) yield { kind: 'reasoning', text: this.#held.slice(0, end) };
    this.#held = this.#held.slice(at < 0 ? end : end + this.#close.length);
    if (at >= 0) this.#state = 'after';
  }

  /** The rest that was held back, at the end of the text. */
  *end(): Generator<SplitPiece> {
    const text = this.#held;
    this.#held = '';
    if (text !== '') yield { kind: this.#state === 'thoughts' ? 'reasoning' : 'text', text };
  }
}
