const BATCH = 200;
const RETRY_MS = 1000;

/**
 * Facts on their way to the API, which gets them in groups, each until it has it. Beyond `max` the oldest are given up: memory
 * stays bounded while the API is away.
 */
export class Outbox<T> {
  readonly #send: (group: readonly T[]) => Promise<void>;
  readonly #max: number;
  #waiting: T[] = [];
  #isSending = false;
  /** Facts that were given up. */
  lost = 0;

  constructor(send: (group: readonly T[]) => Promise<void>, max: number) {
    this.#send = send;
    this.#max = max;
  }

  /** Facts that the API does not have yet. */
  get size(): number {
    return this.#waiting.length;
  }

  add(fact: T): void {
    this.#waiting.push(fact);
    if (this.#waiting.length > this.#max) {
      this.#waiting.shift();
      this.lost += 1;
    }
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, BATCH);
      const isKept = await this.#send(group).then(
        () => true,
        () => false,
      );
      const sent = new Set(group);
      if (isKept) this.#waiting = this.#waiting.filter((fact) => !sent.has(fact));
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    this.#isSending = false;
  }
}
