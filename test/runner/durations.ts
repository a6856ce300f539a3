/** Milliseconds of each test file by its path. */
export type Durations = Readonly<Record<string, number>>;

const LISTED = 10;

/** The slowest files in a few lines. */
export function slowest(measured: Durations): readonly string[] {
  const sorted = Object.entries(measured).toSorted(([, a], [, b]) => b - a);
  return sorted.slice(0, LISTED).map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
}
