/** Aborts its signal after a silence, or with its parent. */
export class Deadline {
  readonly #own = new AbortController();
  readonly #parent: AbortSignal;
  readonly #withParent = (): void => this.#own.abort(this.#parent.reason);
  #silenceMs: number;
  #timer: NodeJS.Timeout;

  constructor(silenceMs: number, parent: AbortSignal) {
    this.#parent = parent;
    this.#silenceMs = silenceMs;
    this.#timer = setTimeout(() => this.#expire(), silenceMs);
    if (parent.aborted) this.#withParent();
    else parent.addEventListener('abort', this.#withParent);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Something was heard. */
  restart(): void {
    this.#timer.refresh();
  }

  /** From now on a silence of `silenceMs` is enough, if that is less than before. */
  shorten(silenceMs: number): void {
    if (silenceMs >= this.#silenceMs) return;
    this.#silenceMs = silenceMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#expire(), silenceMs);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#withParent);
  }

  #expire(): void {
    this.#own.abort(new Error(`nothing was heard for ${this.#silenceMs} ms`));
  }
}
