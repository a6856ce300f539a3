/** An agent that is not ready with the new image after this time counts as failed, and another agent gets the turn. */
export const TURN_MS = 60_000;
/** Consecutive failures that halt the rollout: all other agents keep their pods. */
export const FAILURES_MAX = 3;
/** A halted rollout tries one more agent after this time, because the cause, such as a registry outage, may be gone. */
export const PROBE_MS = 600_000;

export type Turn = 'now' | 'waits' | 'halted';

/**
 * Gives the new image to one agent at a time, and to the next one once that agent is ready. This state is only in memory:
 * after a change of leader, at most {@link FAILURES_MAX} more agents fail.
 */
export class UpgradeTurn {
  #holder: string | undefined;
  #sinceMs = 0;
  readonly #failed = new Set<string>();

  /** Takes the turn for `key` if it is free. `isReady`: an agent is ready with the new image or needs no turn. */
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
