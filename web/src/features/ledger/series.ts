/** `points` are the changes, oldest first; the value is constant between them. */
export type Series = Readonly<{ id: string; name: string; points: readonly SeriesPoint[] }>;
type SeriesPoint = Readonly<{ atMs: number; value: number }>;

export type Frame = Readonly<{ fromMs: number; toMs: number; low: number; high: number }>;
export type Scale = Readonly<{ x(atMs: number): number; y(value: number): number }>;

/** Maps a frame onto a box of pixels; `y` grows downwards. */
export function scaleOf(frame: Frame, box: { readonly width: number; readonly height: number }): Scale {
  const timeMs = Math.max(1, frame.toMs - frame.fromMs);
  const span = frame.high > frame.low ? frame.high - frame.low : 1;
  return {
    x: (atMs) => ((atMs - frame.fromMs) / timeMs) * box.width,
    y: (value) => box.height - ((value - frame.low) / span) * box.height,
  };
}

/** The value at an instant; null before the first change. */
export function valueAt(points: readonly SeriesPoint[], atMs: number): number | null {
  return points.findLast((point) => point.atMs <= atMs)?.value ?? null;
}

/** The lowest and the highest value in a time range, including the values at its start; null if there are none. */
export function rangeOf(
  series: readonly Series[],
  fromMs: number,
  toMs: number,
): { readonly low: number; readonly high: number } | null {
  const values = series
    .flatMap(({ points }) => [
      valueAt(points, fromMs),
      ...points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).map(({ value }) => value),
    ])
    .filter((value) => value !== null);
  return values.length === 0 ? null : { low: Math.min(...values), high: Math.max(...values) };
}

/** The instants of all changes in a time range, and its two ends, in order: the arrow keys stop at each. */
export function instantsOf(series: readonly Series[], fromMs: number, toMs: number): number[] {
  const inside = series
    .flatMap(({ points }) => points.map(({ atMs }) => atMs))
    .filter((atMs) => atMs > fromMs && atMs < toMs);
  return [...new Set([fromMs, ...inside, toMs])].toSorted((left, right) => left - right);
}

/** The instant `step` positions after the instant nearest to `atMs`; at most the last, at least the first. */
export function instantAfter(instants: readonly number[], atMs: number, step: number): number {
  const nearest = instants.reduce(
    (best, instant, index) => (Math.abs(instant - atMs) < Math.abs((instants[best] ?? Infinity) - atMs) ? index : best),
    0,
  );
  return instants[Math.min(instants.length - 1, Math.max(0, nearest + step))] ?? atMs;
}

/** The line of a series as an SVG path: level until a change, then vertical. It ends at the right edge of the frame. */
export function stepPath(points: readonly SeriesPoint[], frame: Frame, scale: Scale): string {
  const begin = valueAt(points, frame.fromMs);
  const inside = points.filter(({ atMs }) => atMs > frame.fromMs && atMs <= frame.toMs);
  const [first] = inside;
  if (begin === null && first === undefined) return '';
  const start =
    begin === null
      ? { atMs: first?.atMs ?? frame.fromMs, value: first?.value ?? 0 }
      : { atMs: frame.fromMs, value: begin };
  const steps = inside.map(({ atMs, value }) => `H${round(scale.x(atMs))}V${round(scale.y(value))}`);
  return `M${round(scale.x(start.atMs))} ${round(scale.y(start.value))}${steps.join('')}H${round(scale.x(frame.toMs))}`;
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

/** Moves labels at least `gap` apart, downwards first, then up from `height`. Keeps the order of the input. */
export function spread(places: readonly number[], gap: number, height: number): number[] {
  const order = places.map((place, index) => ({ place, index })).toSorted((left, right) => left.place - right.place);
  let free = -Infinity;
  for (const entry of order) {
    entry.place = Math.max(entry.place, free);
    free = entry.place + gap;
  }
  let floor = height;
  for (const entry of order.toReversed()) {
    entry.place = Math.min(entry.place, floor);
    floor = entry.place - gap;
  }
  return order.toSorted((left, right) => left.index - right.index).map(({ place }) => place);
}

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

/** About `count` round numbers: the first at or below `low`, the last at or above `high`. */
export function valueTicks(low: number, high: number, count: number): number[] {
  const span = high > low ? high - low : Math.max(Math.abs(high), 1);
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (ROUND.find((round) => round * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  // Multiplies, because repeated sums of tenths accumulate errors.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** At most `count` whole minutes, hours or days. `offsetMs` is local time minus UTC: days begin at local midnight. */
export function timeTicks(fromMs: number, toMs: number, at: Readonly<{ count: number; offsetMs: number }>): number[] {
  const step = TIME_STEPS_MS.find((candidate) => (toMs - fromMs) / candidate <= at.count) ?? 90 * DAY_MS;
  const first = Math.ceil((fromMs + at.offsetMs) / step) * step - at.offsetMs;
  return Array.from({ length: Math.max(0, Math.floor((toMs - first) / step) + 1) }, (_, index) => first + index * step);
}
