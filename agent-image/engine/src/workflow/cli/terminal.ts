/** Where a command writes, and how a person stops it. */
export type Terminal = Readonly<{
  /** The result, for pipes. */
  out: (text: string) => void;
  /** Progress and errors, for people. */
  err: (text: string) => void;
  /** Calls `stop` at Ctrl-C and at a request to end. Returns a function that ends this. */
  onStop: (stop: () => void) => () => void;
}>;

/** `failed`: also for a task that was cancelled. `stopped`: by Ctrl-C, as shells have it. */
export const EXIT = { done: 0, failed: 1, wrong: 2, waiting: 3, stopped: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
