export interface Clock {
  /** Monotonic milliseconds, not a date. */
  now(): number;
  after(delayMs: number, action: () => void): () => void;
}

/** The clock of this process. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The clock of this process. Its timers keep the process alive: use it for waits that a caller awaits. */
export const wakefulClock: Clock = {
  now: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs` or when `signal` is aborted, whichever comes first. */
export function pause(delayMs: number, signal?: AbortSignal, clock: Clock = wakefulClock): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal?.addEventListener('abort', end);
  });
}

export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** Aborts its signal after a silence, or when the parent signal is aborted. */
export class Deadline {
  readonly #own = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #withParent = (): void => this.#own.abort(this.#parent?.reason);
  #silenceMs: number;
  #restartedAtMs: number;
  #cancelTimer: () => void;

  constructor(silenceMs: number, parent?: AbortSignal, clock: Clock = wakefulClock) {
    this.#parent = parent;
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#restartedAtMs = clock.now();
    this.#cancelTimer = clock.after(silenceMs, () => this.#check());
    if (parent?.aborted === true) this.#withParent();
    else parent?.addEventListener('abort', this.#withParent);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Call it when data arrives. It only stores the time, which the timer checks when it fires. */
  restart(): void {
    this.#restartedAtMs = this.#clock.now();
  }

  /** Lowers the limit to `silenceMs`, if it was higher. */
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
    const leftMs = this.#restartedAtMs + this.#silenceMs - this.#clock.now();
    if (leftMs > 0) this.#cancelTimer = this.#clock.after(leftMs, () => this.#check());
    else this.#own.abort(new SilenceError(`no data arrived for ${this.#silenceMs} ms`));
  }
}
