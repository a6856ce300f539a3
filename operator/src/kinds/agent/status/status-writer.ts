import type { Clock } from '@hamlet/kube';

/** Changes of a status within this time are written together. */
export const STATUS_COALESCE_MS = 500;
/** A status that says no more than that all goes well may wait this long for the end of it. */
export const STATUS_PATIENCE_MS = 5_000;
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

/** `patient`: nothing is lost if it is told later, with what comes then. */
export type Pace = 'soon' | 'patient';

const DELAY_MS: Readonly<Record<Pace, number>> = { soon: STATUS_COALESCE_MS, patient: STATUS_PATIENCE_MS };

/** Writes statuses behind the back of the workers: the oldest first, each as it is at the moment of writing. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** Agents whose status may differ, and when they are due; by pace, and in this order. */
  readonly #dueAtMs: Record<Pace, Map<string, number>> = { soon: new Map(), patient: new Map() };
  #inFlight = 0;
  #wakesAtMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Statuses that wait to be written. */
  get waiting(): number {
    return this.#dueAtMs.soon.size + this.#dueAtMs.patient.size;
  }

  /** The status of `key` may differ from what is written. Said again before it is due, it changes nothing but an end to patience. */
  mark(key: string, pace: Pace = 'soon'): void {
    const { soon, patient } = this.#dueAtMs;
    if (this.#closed || soon.has(key) || (pace === 'patient' && patient.has(key))) return;
    patient.delete(key);
    this.#dueAtMs[pace].set(key, this.#options.clock.now() + DELAY_MS[pace]);
    this.#pump();
  }

  forget(key: string): void {
    this.#dueAtMs.soon.delete(key);
    this.#dueAtMs.patient.delete(key);
  }

  close(): void {
    this.#closed = true;
    this.#dueAtMs.soon.clear();
    this.#dueAtMs.patient.clear();
  }

  #pump(): void {
    const nowMs = this.#options.clock.now();
    for (const due of Object.values(this.#dueAtMs)) {
      for (const [key, dueAtMs] of due) {
        if (this.#inFlight >= IN_FLIGHT) return;
        if (dueAtMs > nowMs) {
          this.#wakeAt(dueAtMs);
          break;
        }
        due.delete(key);
        void this.#write(key);
      }
    }
  }

  #wakeAt(atMs: number): void {
    if (atMs >= this.#wakesAtMs) return;
    this.#wakesAtMs = atMs;
    this.#options.clock.after(Math.max(0, atMs - this.#options.clock.now()), () => {
      if (this.#wakesAtMs === atMs) this.#wakesAtMs = Number.POSITIVE_INFINITY;
      this.#pump();
    });
  }

  async #write(key: string): Promise<void> {
    this.#inFlight += 1;
    try {
      await this.#options.write(key);
    } catch (error) {
      this.#options.onError(key, error);
      if (!this.#closed && !this.#dueAtMs.soon.has(key)) this.#dueAtMs.soon.set(key, this.#options.clock.now() + RETRY_MS);
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }
}
