/**
 * An AbortController that also follows other signals, until `leave`. `AbortSignal.any` keeps its signals and their
 * listeners by weak references, which only a full garbage collection frees: too slow for each request. Mutable.
 */
export class FollowingAbort {
  readonly #own = new AbortController();
  readonly #followed: readonly AbortSignal[];
  readonly #follow = ({ target }: Event): void => this.abort(target instanceof AbortSignal ? target.reason : undefined);

  constructor(followed: readonly AbortSignal[]) {
    this.#followed = followed;
    for (const signal of followed) signal.addEventListener('abort', this.#follow);
    const aborted = followed.find((signal) => signal.aborted);
    if (aborted !== undefined) this.abort(aborted.reason);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(reason?: unknown): void {
    this.#own.abort(reason);
  }

  leave(): void {
    for (const signal of this.#followed) signal.removeEventListener('abort', this.#follow);
  }
}
