import type { LinkedAbort } from './linked-abort.ts';
import { linkedAbort } from './linked-abort.ts';

/** A signal that follows another one, made when it is read for the first time: many tools never look at theirs. Mutable for that. */
export class LateSignal {
  readonly #parent: AbortSignal;
  #made: LinkedAbort | null = null;
  #reason: unknown = null;
  #isOver = false;

  constructor(parent: AbortSignal) {
    this.#parent = parent;
  }

  get signal(): AbortSignal {
    if (this.#made === null) {
      this.#made = linkedAbort(this.#parent);
      if (this.#reason !== null) this.#made.abort(this.#reason);
      if (this.#isOver) this.#made.unlink();
    }
    return this.#made.signal;
  }

  abort(reason: NonNullable<unknown>): void {
    this.#reason ??= reason;
    this.#made?.abort(reason);
  }

  /** Follows no more. */
  end(): void {
    this.#isOver = true;
    this.#made?.unlink();
  }
}
