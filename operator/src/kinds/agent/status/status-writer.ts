import type { Clock } from '@hamlet/kube';

/** Changes of a status within this time are written together. */
export const STATUS_COALESCE_MS = 500;
/** A status that says no more than that all goes well may wait this long for the end of it. */
export const STATUS_PATIENCE_MS = 5_000;
/** A write that failed is tried again after this time, with what is true by then; twice as long after each failure that follows. */
const RETRY_MS = 1_000;
/** The longest time between two attempts: the API server may refuse a status until somebody mends what refuses it. */
export const RETRY_MAX_MS = 60_000;
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
  /** Agents whose last write failed: how often in a row, when the next attempt is due, and whether it has begun; in no order. */
  readonly #failed = new Map<
    string,
    { readonly times: number; readonly dueAtMs: number; readonly attempted: boolean }
  >();
  #inFlight = 0;
  #wakesAtMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Statuses that wait to be written, without those that the API server refused. */
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
    this.#failed.delete(key);
  }

  close(): void {
    this.#closed = true;
    this.#dueAtMs.soon.clear();
    this.#dueAtMs.patient.clear();
    this.#failed.clear();
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
    this.#pumpFailed(nowMs);
  }

  #pumpFailed(nowMs: number): void {
    for (const [key, { dueAtMs, attempted }] of this.#failed) {
      if (attempted) continue;
      if (dueAtMs > nowMs) {
        this.#wakeAt(dueAtMs);
        continue;
      }
      if (this.#inFlight >= IN_FLIGHT) return;
      void this.#write(key);
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
    const failed = this.#failed.get(key);
    if (failed !== undefined) this.#failed.set(key, { ...failed, attempted: true });
    try {
      await this.#options.write(key);
      this.#failed.delete(key);
    } catch (error) {
      this.#options.onError(key, error);
      if (!this.#closed) this.#retryLater(key, failed?.times ?? 0);
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  /** A change of the agent is written at its own pace all the same: it may be what the API server waits for. */
  #retryLater(key: string, failures: number): void {
    const delayMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures);
    this.#failed.set(key, { times: failures + 1, dueAtMs: this.#options.clock.now() + delayMs, attempted: false });
  }
}
