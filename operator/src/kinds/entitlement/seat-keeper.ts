import { seatPlan, type SeatPlan, type SeatVerdict } from '@hamlet/core/seats';
import type { Clock } from '@hamlet/kube';
import { claimOf, countSeats, type Counted, type SeatSources } from './seat-sources.ts';

/** A change that decides who runs is planned after this time, together with those that come with it. */
export const SOON_MS = 50;
/** A change that only moves the count of free seats may wait longer. */
export const LATER_MS = 1_000;
/** Planning takes at most this part of the process's time: after a plan of 20 ms the next is 180 ms away. */
const COST_FACTOR = 9;

export interface SeatKeeperOptions {
  readonly sources: SeatSources;
  readonly clock: Clock;
  /** The verdict on an agent has changed. */
  readonly onSeat: (key: string) => void;
  /** There is a new plan: what Entitlements tell may differ. */
  readonly onPlan: () => void;
  readonly onError: (error: unknown) => void;
}

/** How urgent a new plan is. */
export type Urgency = 'soon' | 'later';

/** What of a verdict an agent tells or acts by: a pod that waits for the scheduler is held to the node of its seat. */
const wordOf = (verdict: SeatVerdict | undefined): string =>
  verdict === undefined
    ? ''
    : [verdict.granted, verdict.node, verdict.reason, verdict.position, verdict.blocking].join();

const isSame = (a: SeatVerdict | undefined, b: SeatVerdict | undefined): boolean => a === b || wordOf(a) === wordOf(b);

/**
 * Holds the seats of the village: the last plan, and what was given out since. Plans follow changes after a moment, so
 * that a thousand changes cost one plan; a newcomer for whom there is room gets its seat at once.
 */
export class SeatKeeper {
  readonly #options: SeatKeeperOptions;
  #plan: SeatPlan | undefined;
  #counted: Counted | undefined;
  /** Agents that were told to wait for the next plan. */
  readonly #pending = new Set<string>();
  #dueAtMs = Number.POSITIVE_INFINITY;
  #notBeforeMs = 0;
  #cancel: (() => void) | undefined;
  #started = false;
  #stopped = false;

  constructor(options: SeatKeeperOptions) {
    this.#options = options;
  }

  /** The plan that holds; undefined before the first. */
  get plan(): SeatPlan | undefined {
    return this.#plan;
  }

  /** Agents of a tier by its name, awake or asleep, as of the last plan. */
  agentsOf(tier: string): number {
    return this.#counted?.agents.get(tier) ?? 0;
  }

  /** Makes the first plan, again after a moment where that fails. To be called once everything is listed. */
  start(): void {
    this.#started = true;
    this.#replan();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** Something that seats depend on has changed. Where somebody waits, any change may be for them. */
  touch(urgency: Urgency = 'later'): void {
    const isSoon = urgency === 'soon' || (this.#plan?.waiting ?? 0) > 0;
    this.#planBy(this.#options.clock.now() + (isSoon ? SOON_MS : LATER_MS));
  }

  /**
   * Whether an Agent may have a pod now.
   * @param key `namespace/name`
   * @returns undefined where it does not ask for one (asleep, barred, without a tier), or nothing is counted yet
   */
  seatOf(key: string): SeatVerdict | undefined {
    const { sources } = this.#options;
    const agent = sources.agents.get(key);
    const claim = agent === undefined ? undefined : claimOf(sources, agent);
    if (claim === undefined || this.#plan === undefined) return undefined;
    const known = this.#plan.verdictOf(key);
    const verdict = this.#plan.admit(claim);
    if (verdict === undefined) {
      this.#pending.add(key);
      this.touch('soon');
      return { granted: claim.pod !== undefined, reason: 'SeatPending' };
    }
    if (verdict !== known) this.touch();
    return verdict;
  }

  #planBy(atMs: number): void {
    const dueAtMs = Math.max(atMs, this.#notBeforeMs);
    if (this.#stopped || !this.#started || dueAtMs >= this.#dueAtMs) return;
    this.#cancel?.();
    this.#dueAtMs = dueAtMs;
    const { clock } = this.#options;
    this.#cancel = clock.after(dueAtMs - clock.now(), () => this.#replan());
  }

  /** Plans at once, where a plan is there already: what depends on this change must not be decided before. */
  replan(): void {
    if (this.#plan !== undefined) this.#replan();
  }

  #replan(): void {
    if (this.#stopped) return;
    this.#cancel?.();
    const { sources, clock, onError, onPlan } = this.#options;
    const startedMs = clock.now();
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    try {
      const before = this.#plan;
      this.#counted = countSeats(sources);
      this.#plan = seatPlan(this.#counted.input);
      this.#tell(before, this.#plan);
      onPlan();
    } catch (error) {
      onError(error);
      this.touch();
    }
    this.#notBeforeMs = clock.now() + (clock.now() - startedMs) * COST_FACTOR;
  }

  #tell(before: SeatPlan | undefined, now: SeatPlan): void {
    const { onSeat } = this.#options;
    const pending = new Set(this.#pending);
    this.#pending.clear();
    for (const key of now.keys) {
      const old = before?.verdictOf(key);
      if (pending.has(key) || (old !== undefined && !isSame(old, now.verdictOf(key)))) onSeat(key);
    }
  }
}
