const isHighHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/**
 * Keeps surrogate pairs whole that arrive in two pieces, and replaces halves by U+FFFD. Mutable because a piece may end
 * within a pair.
 */
export class WholeCharacters {
  #half = '';

  /** True if the piece needs no change. */
  isWhole(piece: string): boolean {
    return this.#half === '' && piece.isWellFormed();
  }

  take(piece: string): string {
    const text = this.#half + piece;
    const endsOpen = text !== '' && isHighHalf(text.charCodeAt(text.length - 1));
    this.#half = endsOpen ? text.slice(-1) : '';
    return (endsOpen ? text.slice(0, -1) : text).toWellFormed();
  }

  /** The replacement of a half at the end of the text. */
  end(): string {
    const text = this.#half.toWellFormed();
    this.#half = '';
    return text;
  }
}
