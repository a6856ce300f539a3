/** An agent that does not get ready with the new image within this time holds up the others no longer. */
export const TURN_MS = 60_000;

/**
 * One agent at a time gets a new image: the next has its turn when that one is ready, so that a bad image stops one
 * agent a minute and not the village at once.
 */
export class UpgradeTurn {
  #holder: string | undefined;
  #sinceMs = 0;

  /**
   * Whether `key` has the turn. Asking takes it if it is free.
   * @param isReady whether an agent is ready with the new image, or needs the turn no more
   */
  take(key: string, isReady: (key: string) => boolean, nowMs: number): boolean {
    const free = this.#holder === undefined || nowMs - this.#sinceMs >= TURN_MS || isReady(this.#holder);
    if (free) {
      this.#holder = key;
      this.#sinceMs = nowMs;
    }
    return this.#holder === key;
  }
}
