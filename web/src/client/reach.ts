import type { AppState } from './app-state.ts';
import type { Store } from './store.ts';

/** Learns from every request whether the API answers. Mutable, because it remembers the last answer. */
export class Reach {
  readonly #store: Pick<Store<Pick<AppState, 'unreachableSince'>>, 'set'>;
  #answeredMs = 0;

  constructor(store: Pick<Store<Pick<AppState, 'unreachableSince'>>, 'set'>) {
    this.#store = store;
  }

  /** The API answered, with data or a refusal. */
  answered(nowMs: number): void {
    this.#answeredMs = nowMs;
    this.#change(() => null);
  }

  /**
   * A request that began at `beganMs` got no answer. If it began before the last answer, it says nothing about the
   * present.
   */
  missed(beganMs: number): void {
    if (beganMs >= this.#answeredMs) this.#change((since) => since ?? beganMs);
  }

  #change(next: (since: number | null) => number | null): void {
    this.#store.set((state) => {
      const unreachableSince = next(state.unreachableSince);
      return unreachableSince === state.unreachableSince ? state : { ...state, unreachableSince };
    });
  }
}
