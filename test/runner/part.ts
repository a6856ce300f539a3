/** A part of the test run: its counts are summed in the last line. */

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** Which failed and why, a line each, for the end of the run. */
  readonly failures: readonly string[];
}

export interface Part {
  readonly name: string;
  readonly does: string;
  /** Whether the part starts browsers and databases or needs the cluster's programs. */
  readonly needs: readonly ('packages' | 'programs')[];
  readonly run: () => Promise<Tally>;
}
