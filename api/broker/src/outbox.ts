import { Unreadable } from './village.ts';

const BATCH = 200;
const RETRY_MS = 1000;

interface OutboxParts<T> {
  /** Rejects with `Unreadable` for a group that the API will never take. */
  readonly send: (group: readonly T[]) => Promise<void>;
  /** Called with facts that the API has stored, or that the outbox drops. */
  readonly left?: (facts: readonly T[]) => void;
  readonly max: number;
}

/**
 * Sends facts to the API in groups, and retries a group until the API has stored it. Beyond `max` it drops the oldest, which bounds memory
 * while the API is down. It halves a group that the API cannot read until it finds and drops the unreadable fact.
 */
export class Outbox<T> {
  readonly #parts: OutboxParts<T>;
  #waiting: T[] = [];
  #isSending = false;
  lost = 0;

  constructor(parts: OutboxParts<T>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(fact: T): void {
    this.#waiting.push(fact);
    if (this.#waiting.length > this.#parts.max) {
      const oldest = this.#waiting.slice(0, 1);
      this.lost += 1;
      this.#remove(oldest);
    }
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let most = BATCH; this.#waiting.length > 0;) {
      const group = this.#waiting.slice(0, most);
      const end = await this.#parts.send(group).then(
        () => 'kept',
        (error: unknown) => (error instanceof Unreadable ? 'unreadable' : 'away'),
      );
      if (end === 'away') await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      else if (end === 'unreadable' && group.length > 1) most = Math.ceil(group.length / 2);
      else {
        if (end === 'unreadable') this.lost += 1;
        this.#remove(group);
        most = Math.min(BATCH, most * 2);
      }
    }
    this.#isSending = false;
  }

  /** Some of the facts may have been dropped meanwhile. */
  #remove(facts: readonly T[]): void {
    const gone = new Set(facts);
    const left = this.#waiting.filter((fact) => gone.has(fact));
    this.#waiting = this.#waiting.filter((fact) => !gone.has(fact));
    this.#parts.left?.(left);
  }
}
