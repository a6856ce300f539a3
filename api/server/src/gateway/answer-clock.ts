import type { ChatDelta } from '@hamlet/models';

export interface AnswerTimes {
  /** From the request to the provider until its first piece. A slow model needs this time to read the prompt. */
  readonly firstPieceMs: number;
  readonly idleMs: number;
  /** From the first request to the end of the answer, including all attempts. */
  readonly totalMs: number;
}

/** The connection to the provider has the same limits and can retry or fall back, so it must notice a timeout first. */
const GRACE_MS = 1_000;

export class AnswerClock {
  readonly #times: AnswerTimes;
  readonly #abort = new AbortController();
  readonly #total: NodeJS.Timeout;
  #wait: NodeJS.Timeout | undefined;
  #waitMs = 0;
  #late: string | null = null;

  constructor(times: AnswerTimes) {
    this.#times = times;
    const { totalMs } = times;
    this.#total = setTimeout(() => this.#end(`was not complete after ${totalMs / 1_000} s`), totalMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Describes the timeout as the predicate of a sentence; null if there was none. */
  get late(): string | null {
    return this.#late;
  }

  take(delta: ChatDelta): void {
    const { firstPieceMs, idleMs } = this.#times;
    if (delta.kind === 'begin') this.#arm(firstPieceMs);
    else if (delta.kind === 'retry') this.#arm(firstPieceMs + delta.delayMs);
    else this.#arm(idleMs);
  }

  stop(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#wait);
  }

  #arm(ms: number): void {
    if (this.#wait !== undefined && ms === this.#waitMs) {
      this.#wait.refresh();
      return;
    }
    clearTimeout(this.#wait);
    this.#waitMs = ms;
    this.#wait = setTimeout(() => this.#end(`had no further piece for ${ms / 1_000} s`), ms + GRACE_MS);
  }

  #end(late: string): void {
    if (this.#abort.signal.aborted) return;
    this.#late = late;
    this.#abort.abort(new Error(`the answer ${late}`));
  }
}
