/** A part of the test run: its counts are summed in the last line. */

export interface FailedTest {
  /** The failed test and the reason, in one line. */
  readonly what: string;
  /** The command to run it alone, from the root of the work tree. */
  readonly rerun: string;
  /** The last lines of a program that failed, for a reader who has only the end of the run's output. */
  readonly lastLines?: readonly string[];
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** Lines for the end of the run. */
  readonly failures: readonly FailedTest[];
}

/** Prints one line of a part's output; several parts may print at one time. */
export type Print = (line: string) => void;

export interface Part {
  readonly name: string;
  readonly does: string;
  /** `packages` if the part starts browsers or databases; `programs` if it needs the cluster's programs. */
  readonly needs: readonly ('packages' | 'programs')[];
  readonly run: (print: Print) => Promise<Tally>;
}
