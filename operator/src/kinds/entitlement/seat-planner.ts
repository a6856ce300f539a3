import { seatPlan, type SeatPlan, type SeatDecision } from '@hamlet/core/seats';
import type { Clock } from '@hamlet/kube';
import { countSeats, requestOf, type Counted, type SeatSources } from './seat-sources.ts';

/** Delay before a plan after a change that decides which agents run, so that one plan covers several changes. */
export const SOON_MS = 50;
/** Delay before a plan after a change that only affects the number of free seats. */
export const LATER_MS = 1_000;
/** Pause after a plan, as a multiple of its duration: planning takes at most a tenth of the time. */
const COST_FACTOR = 9;

interface SeatPlannerOptions {
  readonly sources: SeatSources;
  readonly clock: Clock;
  readonly onSeat: (key: string) => void;
  readonly onPlan: () => void;
  readonly onError: (error: unknown) => void;
}

export type Urgency = 'soon' | 'later';

/** The parts of a decision that affect plan or status, as text to compare; includes the node, because it binds a waiting pod. */
const textOf = (decision: SeatDecision | undefined): string =>
  decision === undefined
    ? ''
    : [decision.granted, decision.node, decision.reason, decision.position, decision.blocking].join();

const isSame = (a: SeatDecision | undefined, b: SeatDecision | undefined): boolean =>
  a === b || textOf(a) === textOf(b);

/**
 * Keeps the last plan of seats, and the seats granted since. It plans some time after a change, so that a thousand changes cause
 * one plan; a new agent gets a free seat at once.
 */
export class SeatPlanner {
  readonly #options: SeatPlannerOptions;
  #plan: SeatPlan | undefined;
  #counted: Counted | undefined;
  readonly #pending = new Set<string>();
  #dueAtMs = Number.POSITIVE_INFINITY;
  #notBeforeMs = 0;
  #cancel: (() => void) | undefined;
  #started = false;
  #stopped = false;

  constructor(options: SeatPlannerOptions) {
    this.#options = options;
  }

  get plan(): SeatPlan | undefined {
    return this.#plan;
  }

  agentsOf(tier: string): number {
    return this.#counted?.agents.get(tier) ?? 0;
  }

  /** Makes the first plan, and retries after a delay if it fails. Call it once all caches are listed. */
  start(): void {
    this.#started = true;
    this.#replan();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** Plans again after a change. If agents wait, it plans soon, because any change may free a seat. */
  touch(urgency: Urgency = 'later'): void {
    const isSoon = urgency === 'soon' || (this.#plan?.waiting ?? 0) > 0;
    this.#planBy(this.#options.clock.now() + (isSoon ? SOON_MS : LATER_MS));
  }

  /**
   * Returns whether the Agent `namespace/name` may have a pod now.
   * @returns undefined if it requests no seat (asleep, barred or without a tier), or before the first plan
   */
  seatOf(key: string): SeatDecision | undefined {
    const { sources } = this.#options;
    const agent = sources.agents.get(key);
    const request = agent === undefined ? undefined : requestOf(sources, agent);
    if (request === undefined || this.#plan === undefined) return undefined;
    const known = this.#plan.decisionOf(key);
    const decision = this.#plan.admit(request);
    if (decision === undefined) {
      this.#pending.add(key);
      this.touch('soon');
      return { granted: request.pod !== undefined, reason: 'SeatPending' };
    }
    if (decision !== known) this.touch();
    return decision;
  }

  #planBy(atMs: number): void {
    const dueAtMs = Math.max(atMs, this.#notBeforeMs);
    if (this.#stopped || !this.#started || dueAtMs >= this.#dueAtMs) return;
    this.#cancel?.();
    this.#dueAtMs = dueAtMs;
    const { clock } = this.#options;
    this.#cancel = clock.after(dueAtMs - clock.now(), () => this.#replan());
  }

  /** Plans at once, if there is a plan already. Call it after a change that makes the old plan unsafe to use. */
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
      this.#notify(before, this.#plan);
      onPlan();
    } catch (error) {
      onError(error);
      this.touch();
    }
    this.#notBeforeMs = clock.now() + (clock.now() - startedMs) * COST_FACTOR;
  }

  #notify(before: SeatPlan | undefined, now: SeatPlan): void {
    const { onSeat } = this.#options;
    const pending = new Set(this.#pending);
    this.#pending.clear();
    for (const key of now.keys) {
      const old = before?.decisionOf(key);
      if (pending.has(key) || (old !== undefined && !isSame(old, now.decisionOf(key)))) onSeat(key);
    }
  }
}
