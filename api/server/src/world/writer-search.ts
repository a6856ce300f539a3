import { setTimeout as sleep } from 'node:timers/promises';

/** The lease changes hands in less than this; a command that comes meanwhile waits for the next writer. */
export const HANDOVER_LIMIT_MS = 6_000;
const PAUSE_MS = 50;

/**
 * Looks for a writer of the world while there is none. All commands that wait share one search: each looking for itself, the thousands of a large
 * village kept the process so busy that it could not renew the lease it was about to take. Mutable: it knows whether it is looking.
 */
export class WriterSearch {
  readonly #isThere: () => Promise<boolean>;
  #search: Promise<void> | null = null;

  /** @param isThere whether this replica writes, or another listens for commands */
  constructor(isThere: () => Promise<boolean>) {
    this.#isThere = isThere;
  }

  get isUnderWay(): boolean {
    return this.#search !== null;
  }

  /** Resolves once there is a writer, or after the longest hand-over. */
  found(): Promise<void> {
    this.#search ??= this.#look().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  async #look(): Promise<void> {
    for (const sinceMs = performance.now(); performance.now() - sinceMs < HANDOVER_LIMIT_MS;) {
      await sleep(PAUSE_MS);
      if (await this.#isThere()) return;
    }
  }
}
