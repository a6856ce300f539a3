import { wakefulClock, type Clock } from './clock.ts';

/** Nothing was heard for too long. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** Aborts its signal after a silence, or with its parent. */
export class Deadline {
  readonly #own = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #withParent = (): void => this.#own.abort(this.#parent?.reason);
  #silenceMs: number;
  #heardAtMs: number;
  #cancelTimer: () => void;

  constructor(silenceMs: number, parent?: AbortSignal, clock: Clock = wakefulClock) {
    this.#parent = parent;
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#heardAtMs = clock.now();
    this.#cancelTimer = clock.after(silenceMs, () => this.#check());
    if (parent?.aborted === true) this.#withParent();
    else parent?.addEventListener('abort', this.#withParent);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Something was heard. Costs next to nothing: the timer looks back when it fires. */
  restart(): void {
    this.#heardAtMs = this.#clock.now();
  }

  /** From now on a silence of `silenceMs` is enough, if that is less than before. */
  shorten(silenceMs: number): void {
    if (silenceMs >= this.#silenceMs) return;
    this.#silenceMs = silenceMs;
    this.#cancelTimer();
    this.#check();
  }

  cancel(): void {
    this.#cancelTimer();
    this.#parent?.removeEventListener('abort', this.#withParent);
  }

  #check(): void {
    const leftMs = this.#heardAtMs + this.#silenceMs - this.#clock.now();
    if (leftMs > 0) this.#cancelTimer = this.#clock.after(leftMs, () => this.#check());
    else this.#own.abort(new SilenceError(`nothing was heard for ${this.#silenceMs} ms`));
  }
}
