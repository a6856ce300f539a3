/** Coordinates the loop of turns with runs: during a run the loop still answers speech, but only the run moves the agent. */
export interface TurnGate {
  readonly work: string | null;
  /** Aborts when the next run begins. */
  readonly quiet: AbortSignal;
  turn<T>(run: () => Promise<T>): Promise<T>;
  begin(work: string): Promise<void>;
  end(work: string): void;
}

export function createTurnGate(): TurnGate {
  const works: string[] = [];
  let turning: Promise<unknown> = Promise.resolve();
  let quiet = new AbortController();
  return {
    get work() {
      return works.at(-1) ?? null;
    },
    get quiet() {
      return quiet.signal;
    },
    turn: (run) => {
      const result = run();
      turning = result.catch(() => undefined);
      return result;
    },
    begin: async (words) => {
      works.push(words);
      quiet.abort(new Error('a run begins'));
      quiet = new AbortController();
      await turning;
    },
    end: (words) => {
      const at = works.indexOf(words);
      if (at >= 0) works.splice(at, 1);
    },
  };
}
