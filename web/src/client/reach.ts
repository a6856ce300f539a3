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

  /** No answer came to a request of `beganMs`. One that began before the last answer says nothing about now. */
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
