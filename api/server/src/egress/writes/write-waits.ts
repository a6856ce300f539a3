import { readEndedWaits, type Db } from '@hamlet/store';

const LOOK_MS = 400;

export class WriteWaits {
  readonly #db: Db;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, Set<() => void>>();
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor({ db, onError }: { readonly db: Db; readonly onError: (error: unknown) => void }) {
    this.#db = db;
    this.#onError = onError;
  }

  /** Resolves with true once the permission may need a decision, or after `ms`; resolves with false when the API ends. */
  wait(permissionId: string, ms: number): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const all = this.#waiting.get(permissionId) ?? new Set();
      this.#waiting.set(permissionId, all);
      const end = (): void => {
        clearTimeout(late);
        all.delete(end);
        if (all.size === 0) this.#waiting.delete(permissionId);
        resolve(!this.#isClosed);
      };
      const late = setTimeout(end, ms);
      all.add(end);
      this.#timer ??= setTimeout(() => void this.#look(), LOOK_MS);
    });
  }

  /** True while a request to this API waits for the permission. */
  isWaiting(permissionId: string): boolean {
    return this.#waiting.has(permissionId);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const all of this.#waiting.values()) for (const end of all) end();
  }

  async #look(): Promise<void> {
    try {
      for (const id of await readEndedWaits(this.#db, [...this.#waiting.keys()]))
        for (const end of this.#waiting.get(id) ?? []) end();
    } catch (error) {
      this.#onError(error);
    }
    this.#timer = this.#isClosed || this.#waiting.size === 0 ? null : setTimeout(() => void this.#look(), LOOK_MS);
  }
}
