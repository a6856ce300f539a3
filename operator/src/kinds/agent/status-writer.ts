import type { Clock } from '@hamlet/kube';

/** Changes of a status within this time are written together. */
export const STATUS_COALESCE_MS = 500;
/** A write that failed is tried again after this time, with what is true by then. */
const RETRY_MS = 1_000;
/**
 * Status writes at one time. So few, because they tell while other writes act: in a storm, when each answer takes long,
 * pods and claims go first and statuses follow as the API server breathes; otherwise two are enough for hundreds a second.
 */
const IN_FLIGHT = 2;

export interface StatusWriterOptions {
  readonly clock: Clock;
  /** Writes what is true now, if it differs from what is written. */
  readonly write: (key: string) => Promise<void>;
  readonly onError: (key: string, error: unknown) => void;
}

/** Writes statuses behind the back of the workers: the oldest first, each as it is at the moment of writing. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** Agents whose status may differ, and when they are due; in this order. */
  readonly #dueAtMs = new Map<string, number>();
  #inFlight = 0;
  #timerSet = false;
  #closed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Statuses that wait to be written. */
  get waiting(): number {
    return this.#dueAtMs.size;
  }

  /** The status of `key` may differ from what is written. Said again before it is due, it changes nothing. */
  mark(key: string): void {
    if (this.#closed || this.#dueAtMs.has(key)) return;
    this.#dueAtMs.set(key, this.#options.clock.now() + STATUS_COALESCE_MS);
    this.#pump();
  }

  forget(key: string): void {
    this.#dueAtMs.delete(key);
  }

  close(): void {
    this.#closed = true;
    this.#dueAtMs.clear();
  }

  #pump(): void {
    const nowMs = this.#options.clock.now();
    for (const [key, dueAtMs] of this.#dueAtMs) {
      if (this.#inFlight >= IN_FLIGHT) return;
      if (dueAtMs > nowMs) return this.#pumpAfter(dueAtMs - nowMs);
      this.#dueAtMs.delete(key);
      void this.#write(key);
    }
  }

  #pumpAfter(delayMs: number): void {
    if (this.#timerSet) return;
    this.#timerSet = true;
    this.#options.clock.after(delayMs, () => {
      this.#timerSet = false;
      this.#pump();
    });
  }

  async #write(key: string): Promise<void> {
    this.#inFlight += 1;
    try {
      await this.#options.write(key);
    } catch (error) {
      this.#options.onError(key, error);
      if (!this.#closed && !this.#dueAtMs.has(key)) this.#dueAtMs.set(key, this.#options.clock.now() + RETRY_MS);
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }
}
