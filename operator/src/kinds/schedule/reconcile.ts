import type { Clock, KubeClient, Outcome, Reflector } from '@hamlet/kube';
import { statusPatch } from '../agent/status/status-patch.ts';
import { FIELD_MANAGER } from '../agent/views.ts';
import { fireSlot, tellGivenUp, type ApplyPorts } from './apply.ts';
import type { FiringResult } from './fire.ts';
import { observe, type Sources } from './observe.ts';
import { plan, type Plan } from './plan.ts';
import { statusOf } from './status.ts';
import type { VillageTime } from './village-time.ts';
import { SCHEDULES, type Decided, type Observed, type ScheduleView } from './views.ts';

/**
 * Statuses of one Schedule are written at most this often, so that one that fires every second costs the API server
 * little. What has been missed is written at once, before anything fires: a crash after it counts nothing twice.
 */
export const STATUS_EVERY_MS = 5_000;
/** After a firing that failed. Not longer with each failure: what is due waits for nothing but the api. */
const RETRY_MS = 1_000;

export interface ReconcilerOptions {
  readonly sources: Omit<Sources, 'decided'>;
  readonly ports: ApplyPorts & {
    readonly client: Pick<KubeClient, 'mergePatch'>;
    readonly schedules: Pick<Reflector<ScheduleView>, 'learn'>;
  };
  readonly time: VillageTime;
  /** For the pace of status writes. */
  readonly clock: Clock;
  readonly onFired: (result: FiringResult, lateMs: number) => void;
  readonly onStatusError: (key: string, error: unknown) => void;
}

/** How far a plan was carried out. */
interface CarriedOut {
  /** When to try the firing again that did not go through, in milliseconds from now. */
  readonly againMs?: number;
  /** The api refused that firing because it trusts another leader. */
  readonly isStale?: boolean;
}

/** Fires what is due of one Schedule, from the state alone, and says in its status what was decided. */
export class ScheduleReconciler {
  readonly #options: ReconcilerOptions;
  readonly #decided = new Map<string, Decided>();
  readonly #writtenAtMs = new Map<string, number>();
  readonly #startedMs: number;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#startedMs = options.clock.now();
  }

  /** A Schedule is gone. */
  forget(uid: string): void {
    this.#decided.delete(uid);
    this.#writtenAtMs.delete(uid);
  }

  /** @param key `namespace/name` */
  async reconcile(key: string): Promise<Outcome> {
    const observed = this.#observe(key);
    if (observed === undefined) return { kind: 'done' };
    const planned = plan(observed, this.#options.time.now());
    const { againMs, isStale = false } = await this.#carryOut(key, observed, planned);
    // The leader that the api trusts writes the status.
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

  /** Gives up, then fires, oldest first, until one does not go through. */
  async #carryOut(key: string, observed: Observed, { decided, giveUp, fire }: Plan): Promise<CarriedOut> {
    const { uid } = observed.schedule.metadata;
    if (decided === undefined) return {};
    this.#decided.set(uid, decided);
    if (giveUp !== undefined) {
      this.#decided.set(uid, { ...decided, untilMs: giveUp.untilMs, missed: decided.missed + giveUp.count });
      tellGivenUp(this.#options.ports, observed.schedule, giveUp);
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

  /** Undefined where the slot is decided, else when to try it again. */
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
      // The api trusts another leader. After the Lease was made again that can be one that is gone, until the api has missed it
      // for as long as a Lease lasts: this leader tries again, and the elector alone ends it.
      case 'stale':
      case 'failed':
        return RETRY_MS;
      default:
        return result satisfies never;
    }
  }

  /** Writes the status if it differs; returns after what time it may be written, if that is not now. */
  async #writeStatus(key: string, when: 'now' | 'when due'): Promise<number | undefined> {
    const observed = this.#observe(key);
    if (observed === undefined) return undefined;
    const { metadata, status } = observed.schedule;
    const patch = statusPatch(status, statusOf(observed, this.#options.time.now()));
    if (patch === undefined) return undefined;
    const nowMs = this.#options.clock.now();
    // A new leader first hears the api: what it does not know yet is no news.
    const dueAtMs = (this.#writtenAtMs.get(metadata.uid) ?? this.#startedMs) + STATUS_EVERY_MS;
    if (when === 'when due' && dueAtMs > nowMs) return dueAtMs - nowMs;
    this.#writtenAtMs.set(metadata.uid, nowMs);
    try {
      await this.#patch(observed.schedule, patch);
      return undefined;
    } catch (error) {
      // A status that cannot be written stops no firing: it is tried again as any other.
      this.#options.onStatusError(key, error);
      return STATUS_EVERY_MS;
    }
  }

  async #patch({ metadata }: ScheduleView, status: object): Promise<void> {
    const { client, schedules } = this.#options.ports;
    const at = {
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      name: metadata.name,
      subresource: 'status',
      query: { fieldManager: FIELD_MANAGER },
    };
    schedules.learn(await client.mergePatch<ScheduleView>(SCHEDULES, { metadata: { uid: metadata.uid }, status }, at));
  }
}
