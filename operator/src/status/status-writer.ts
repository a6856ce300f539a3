import { isDeepStrictEqual } from 'node:util';
import type { Clock, KubeClient, KubeObject, Reflector, ResourceType } from '@hamlet/kube';
import { backoffMs } from '@hamlet/kube';
import { FIELD_MANAGER } from '../objects/names.ts';

/** The writer collects the changes of a status for this time, and writes them together. */
export const STATUS_COALESCE_MS = 500;
/** A status that only reports progress may wait this long, so that one write covers the progress and the result. */
export const STATUS_PATIENCE_MS = 5_000;
/** Back-off of a failed write. Each attempt sends the current status. */
export const STATUS_RETRY = { firstMs: 1_000, maxMs: 60_000 } as const;
/** Maximum number of concurrent status writes: low, because pods and volume claims matter more to a slow API server. */
const IN_FLIGHT = 2;

interface StatusWriterOptions {
  readonly clock: Clock;
  readonly write: (key: string) => Promise<void>;
  readonly onError: (key: string, error: unknown) => void;
}

export type Pace = 'soon' | 'patient';

const DELAY_MS: Readonly<Record<Pace, number>> = { soon: STATUS_COALESCE_MS, patient: STATUS_PATIENCE_MS };

/** Writes statuses independently of the workers, the oldest mark first. Each write sends the current status. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** Due times by key, for each pace, in the order of the marks. */
  readonly #dueAtMs: Record<Pace, Map<string, number>> = { soon: new Map(), patient: new Map() };
  /** Keys whose last write failed: consecutive failures, time of the next attempt, and whether that attempt has begun. */
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

  get waiting(): number {
    return this.#dueAtMs.soon.size + this.#dueAtMs.patient.size;
  }

  /** Call it when the status of `key` may have changed. A repeated mark can only shorten the wait. */
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
      if (!this.#closed) this.#retryLater(key, (failed?.times ?? 0) + 1);
    } finally {
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  /** Schedules the retry. A later change does not wait for it: the API server may accept the newer status. */
  #retryLater(key: string, times: number): void {
    const dueAtMs = this.#options.clock.now() + backoffMs(times, STATUS_RETRY);
    this.#failed.set(key, { times, dueAtMs, attempted: false });
  }
}

/** The merge patch from `before` to `after`: changed fields, null for removed ones; undefined if nothing changes. */
export function statusPatch(before: object, after: object): Readonly<Record<string, unknown>> | undefined {
  const old = new Map<string, unknown>(Object.entries(before));
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(after)) {
    if (!isDeepStrictEqual(old.get(field), value)) patch[field] = value;
    old.delete(field);
  }
  for (const field of old.keys()) patch[field] = null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Writes a status by merge patch, with the uid as precondition, and stores the response in the cache. */
export async function patchStatus<T extends KubeObject>(
  {
    client,
    type,
    known,
  }: {
    readonly client: Pick<KubeClient, 'mergePatch'>;
    readonly type: ResourceType;
    readonly known: Pick<Reflector<T>, 'learn'>;
  },
  { metadata: { namespace, name, uid } }: KubeObject,
  { status, resourceVersion }: { readonly status: object; readonly resourceVersion?: string },
): Promise<void> {
  const metadata = resourceVersion === undefined ? { uid } : { uid, resourceVersion };
  const at = { namespace, name, subresource: 'status', query: { fieldManager: FIELD_MANAGER } };
  known.learn(await client.mergePatch<T>(type, { metadata, status }, at));
}
