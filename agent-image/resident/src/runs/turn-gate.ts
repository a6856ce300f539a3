/** Coordinates the loop of turns with runs: during a run the loop still answers speech, but only the run moves the agent. */
export interface TurnGate {
  readonly work: string | null;
  turn<T>(run: () => Promise<T>): Promise<T>;
  begin(work: string): Promise<void>;
  end(work: string): void;
}

export function createTurnGate(): TurnGate {
  const works: string[] = [];
  let turning: Promise<unknown> = Promise.resolve();
  return {
    get work() {
      return works.at(-1) ?? null;
    },
    turn: (run) => {
      const result = run();
      turning = result.catch(() => undefined);
      return result;
    },
    begin: async (words) => {
      works.push(words);
      await turning;
    },
    end: (words) => {
      const at = works.indexOf(words);
      if (at >= 0) works.splice(at, 1);
    },
  };
}
