/**
 * What the agent gives itself to. While it works on a run, its loop goes on and answers whoever speaks, but does not walk: one thing
 * at a time moves its feet.
 */
export interface Attention {
  /** What it works on, in words; null while it lives by its own day. */
  readonly work: string | null;
  /** The loop lives a turn. */
  turn<T>(live: () => Promise<T>): Promise<T>;
  /** Begins to work, once the turn under way is over. */
  begin(work: string): Promise<void>;
  end(): void;
}

/** Mutable because it holds what is going on. */
export function createAttention(): Attention {
  let work: string | null = null;
  let turning: Promise<unknown> = Promise.resolve();
  return {
    get work() {
      return work;
    },
    turn: (live) => {
      const lived = live();
      turning = lived.catch(() => undefined);
      return lived;
    },
    begin: async (words) => {
      work = words;
      await turning;
    },
    end: () => {
      work = null;
    },
  };
}
