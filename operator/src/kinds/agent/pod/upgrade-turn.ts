/** An agent that does not get ready with the new image within this time has failed, and the turn is free for another. */
export const TURN_MS = 60_000;
/** So many agents that fail one after the other halt the rollout: all others keep the pods that they have. */
export const FAILURES_MAX = 3;
/** A rollout that has halted tries one more agent after this time: a registry may be back, a quota lifted. */
export const PROBE_MS = 600_000;

export type Turn = 'now' | 'waits' | 'halted';

/**
 * One agent at a time gets a new image: the next has its turn when that one is ready. Kept by this process alone: a new leader tries at most
 * {@link FAILURES_MAX} more.
 */
export class UpgradeTurn {
  #holder: string | undefined;
  #sinceMs = 0;
  /** Agents that have failed since the last one got ready. */
  readonly #failed = new Set<string>();

  /**
   * Whether `key` has the turn. Asking takes it if it is free.
   * @param isReady whether an agent is ready with the new image, or needs the turn no more
   */
  take(key: string, isReady: (key: string) => boolean, nowMs: number): Turn {
    this.#judge(isReady, nowMs);
    if (this.#holder === undefined) {
      if (this.#failed.size >= FAILURES_MAX && nowMs - this.#sinceMs < PROBE_MS) return 'halted';
      this.#holder = key;
      this.#sinceMs = nowMs;
    }
    return this.#holder === key ? 'now' : 'waits';
  }

  #judge(isReady: (key: string) => boolean, nowMs: number): void {
    if ([...this.#failed].some(isReady)) this.#failed.clear();
    if (this.#holder === undefined) return;
    if (isReady(this.#holder)) this.#failed.clear();
    else if (nowMs - this.#sinceMs < TURN_MS) return;
    else this.#failed.add(this.#holder);
    this.#holder = undefined;
  }
}
