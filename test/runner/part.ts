/** A part of the test run: its counts are summed in the last line. */

export interface FailedTest {
  /** The failed test and the reason, in one line. */
  readonly what: string;
  /** The command to run it alone, from the root of the work tree. */
  readonly rerun: string;
  /** The last lines of a failed program, for readers who have only the end of the output. */
  readonly lastLines?: readonly string[];
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped?: number;
  /** Lines for the end of the run. */
  readonly failures: readonly FailedTest[];
}

/** Prints one line of a part's output; several parts may print at one time. */
export type Print = (line: string) => void;

/** Options and earlier results of a run of the tests. */
export interface Run {
  readonly print: Print;
  readonly isFull: boolean;
  /** True if the run includes this test file. */
  includes(file: string): boolean;
  /** The result of a unit (a file or a program) in an interrupted full run at this commit; undefined if it must run. */
  before(unit: string): Tally | undefined;
  keep(unit: string, result: Tally & { readonly seconds: number }): void;
  /** Lets a waiting lane start. The unit tests call it when only files that compute in the background are left. */
  leaveRoom(): void;
}

export interface Part {
  readonly name: string;
  readonly does: string;
  /** `packages` if the part starts browsers or databases; `programs` if it needs the cluster's programs. */
  readonly needs: readonly ('packages' | 'programs')[];
  /** True for a part of the full suite alone. */
  readonly onlyInFull?: boolean;
  /** True for a part without test files, whose result is kept as a whole. */
  readonly isOneUnit?: boolean;
  readonly run: (run: Run) => Promise<Tally>;
}

/** Sums the counts of several runs. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const total = (of: (tally: Tally) => number): number => tallies.reduce((sum, tally) => sum + of(tally), 0);
  return {
    passed: total(({ passed }) => passed),
    failed: total(({ failed }) => failed),
    skipped: total(({ skipped = 0 }) => skipped),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}
