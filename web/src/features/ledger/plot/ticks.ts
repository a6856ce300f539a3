/** Steps that people count in, as multiples of a power of ten. */
const ROUND = [1, 2, 2.5, 5, 10] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const TIME_STEPS_MS = [1, 5, 15, 30]
  .map((minutes) => minutes * MINUTE_MS)
  .concat(
    [1, 3, 6, 12].map((hours) => hours * HOUR_MS),
    [1, 2, 7, 14, 30].map((days) => days * DAY_MS),
  );

/** Round numbers around `low` to `high`, the first at or below the one and the last at or above the other; about `count` of them. */
export function valueTicks(low: number, high: number, count: number): number[] {
  const span = high > low ? high - low : Math.max(Math.abs(high), 1);
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (ROUND.find((round) => round * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  // Multiplied, not added up: sums of tenths drift.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/**
 * Instants on whole minutes, hours or days between two others, at most `count`.
 * @param offsetMs what local time is ahead of UTC, so that days begin at midnight here
 */
export function timeTicks(
  fromMs: number,
  toMs: number,
  at: { readonly count: number; readonly offsetMs: number },
): number[] {
  const step = TIME_STEPS_MS.find((candidate) => (toMs - fromMs) / candidate <= at.count) ?? 90 * DAY_MS;
  const first = Math.ceil((fromMs + at.offsetMs) / step) * step - at.offsetMs;
  return Array.from({ length: Math.max(0, Math.floor((toMs - first) / step) + 1) }, (_, index) => first + index * step);
}
