import type { Clock, KubeClient, Outcome, Reflector } from '@hamlet/kube';
import { SCHEDULES } from '../../objects/names.ts';
import { patchStatus, statusPatch } from '../../status/status-writer.ts';
import { fireSlot, recordGivenUp, type ApplyPorts } from './apply.ts';
import type { Decided, Observed, ScheduleView } from './cached-schedule.ts';
import type { FiringResult, VillageTime } from './fire.ts';
import { observe, type Sources } from './observe.ts';
import { plan, type Plan } from './plan.ts';
import { statusOf } from './status.ts';

/**
 * Interval between status writes of one Schedule, to limit the load on the API server. Missed slots are written at once, before
 * any firing, so that no slot counts twice after a crash.
 */
export const STATUS_EVERY_MS = 5_000;
/** Retry interval of a failed firing. It does not grow, because a due slot only waits for the api. */
const RETRY_MS = 1_000;

export interface ReconcilerOptions {
  readonly sources: Omit<Sources, 'decided'>;
  readonly ports: ApplyPorts & {
    readonly client: Pick<KubeClient, 'mergePatch'>;
    readonly schedules: Pick<Reflector<ScheduleView>, 'learn'>;
  };
  readonly time: VillageTime;
  readonly clock: Clock;
  readonly onFired: (result: FiringResult, lateMs: number) => void;
  readonly onStatusError: (key: string, error: unknown) => void;
}

interface Applied {
  readonly againMs?: number;
  readonly isStale?: boolean;
}

/** Fires the due slots of one Schedule, based only on the current state, and writes its decisions to the status. */
export class ScheduleReconciler {
  readonly #options: ReconcilerOptions;
  readonly #decided = new Map<string, Decided>();
  readonly #writtenAtMs = new Map<string, number>();
  readonly #startedMs: number;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now();
  }

  forget(uid: string): void {
    this.#decided.delete(uid);
    this.#writtenAtMs.delete(uid);
  }

  async reconcile(key: string): Promise<Outcome> {
    const observed = this.#observe(key);
    if (observed === undefined) return { kind: 'done' };
    const planned = plan(observed, this.#options.time.now());
    const { againMs, isStale = false } = await this.#apply(key, observed, planned);
    // Only the leader that the api trusts writes the status.
    const statusInMs = isStale ? undefined : await this.#writeStatus(key, 'when due');
    const looks = [
      againMs,
      statusInMs,
      planned.lookAtMs === undefined ? undefined : planned.lookAtMs - this.#options.time.now(),
    ];
    const afterMs = Math.min(...looks.filter((look) => look !== undefined));
    return afterMs === Number.POSITIVE_INFINITY ? { kind: 'done' } : { kind: 'requeue', afterMs: Math.max(1, afterMs) };
  }

  #observe(key: string): Observed | undefined {
    return observe({ ...this.#options.sources, decided: this.#decided }, key);
  }

  /** Gives up slots, then fires the due slots, oldest first, until a firing fails. */
  async #apply(key: string, observed: Observed, { decided, giveUp, fire }: Plan): Promise<Applied> {
    const { uid } = observed.schedule.metadata;
    if (decided === undefined) return {};
    this.#decided.set(uid, decided);
    if (giveUp !== undefined) {
      this.#decided.set(uid, { ...decided, untilMs: giveUp.untilMs, missed: decided.missed + giveUp.count });
      recordGivenUp(this.#options.ports, observed.schedule, giveUp);
      if (giveUp.reason === 'FiringsMissed') await this.#writeStatus(key, 'now');
    }
    for (const due of fire) {
      const result = await fireSlot(this.#options.ports, observed, due);
      this.#options.onFired(result, this.#options.time.now() - due.slotMs);
      const againMs = this.#settle(uid, due.slotMs, result);
      if (againMs !== undefined) return { againMs, isStale: result.kind === 'stale' };
    }
    return {};
  }

  /** Handles the result of a firing. Returns undefined if the slot is decided, otherwise the milliseconds until the retry. */
  #settle(uid: string, slotMs: number, result: FiringResult): number | undefined {
    const before = this.#decided.get(uid);
    switch (result.kind) {
      case 'fired':
        if (before !== undefined) this.#decided.set(uid, { ...before, untilMs: slotMs });
        return undefined;
      case 'forgotten':
        if (before !== undefined) this.#decided.set(uid, { ...before, untilMs: slotMs, missed: before.missed + 1 });
        return undefined;
      case 'too early': {
        const waitMs = slotMs - this.#options.time.now();
        return waitMs > 0 ? waitMs : RETRY_MS;
      }
      // After the Lease was deleted, the api may trust a former leader for a Lease's duration. So this leader retries.
      case 'stale':
      case 'failed':
        return RETRY_MS;
      default:
        return result satisfies never;
    }
  }

  /** Writes the status if it differs. If it is too early to write, returns the milliseconds to wait. */
  async #writeStatus(key: string, when: 'now' | 'when due'): Promise<number | undefined> {
    const observed = this.#observe(key);
    if (observed === undefined) return undefined;
    const { metadata, status } = observed.schedule;
    const patch = statusPatch(status, statusOf(observed, this.#options.time.now()));
    if (patch === undefined) return undefined;
    const nowMs = this.#options.clock.now();
    // A new leader waits for one interval, so that facts that the api has not reported yet do not count as changes.
    const dueAtMs = (this.#writtenAtMs.get(metadata.uid) ?? this.#startedMs) + STATUS_EVERY_MS;
    if (when === 'when due' && dueAtMs > nowMs) return dueAtMs - nowMs;
    this.#writtenAtMs.set(metadata.uid, nowMs);
    try {
      const { client, schedules } = this.#options.ports;
      await patchStatus({ client, type: SCHEDULES, known: schedules }, observed.schedule, { status: patch });
      return undefined;
    } catch (error) {
      // A failed status write does not stop firings. It is retried after the usual interval.
      this.#options.onStatusError(key, error);
      return STATUS_EVERY_MS;
    }
  }
}
