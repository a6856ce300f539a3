/** Coordinates the loop of turns with a run: during a run the loop still answers speech, but only the run moves the agent. */
export interface TurnGate {
  /** Prompt of the run under way; null when there is none. */
  readonly work: string | null;
  turn<T>(run: () => Promise<T>): Promise<T>;
  /** Begins a run; resolves once the turn under way has ended. */
  begin(work: string): Promise<void>;
  end(): void;
}

/** Mutable because it holds the run and the turn under way. */
export function createTurnGate(): TurnGate {
  let work: string | null = null;
  let turning: Promise<unknown> = Promise.resolve();
  return {
    get work() {
      return work;
    },
    turn: (run) => {
      const result = run();
      turning = result.catch(() => undefined);
      return result;
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
