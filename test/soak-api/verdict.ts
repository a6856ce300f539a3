/** The verdict of a soak of the API. Pure. */
import { medianOf } from '../../bench/report.ts';

/** The api at one moment. */
export interface Sample {
  readonly atMs: number;
  /** Size of the heap after a garbage collection. */
  readonly heapMb: number;
  readonly handles: number;
  /** The longest stall of the api's event loop since the previous sample. */
  readonly stallMs: number;
}

export interface Verdict {
  /** Growth of the heap after the warm-up. */
  readonly heapMbPerHour: number;
  readonly handlesEarly: number;
  readonly handlesLate: number;
  readonly problems: readonly string[];
}

const WARM_UP_SHARE = 0.25;
const HEAP_MB_PER_HOUR_MAX = 1;
/** Sockets of callers open and close; a greater rise from one half to the other is growth. */
const HANDLES_GROWTH_MAX = 20;
const LIVEZ_MAX_MS = 1_000;

function slopePerHour(points: readonly Sample[]): number {
  const [x, y] = [points.map(({ atMs }) => atMs / 3_600_000), points.map(({ heapMb }) => heapMb)];
  const mean = (of: readonly number[]): number => of.reduce((sum, each) => sum + each, 0) / of.length;
  const [meanX, meanY] = [mean(x), mean(y)];
  const [up, across] = [
    x.reduce((sum, each, index) => sum + (each - meanX) * ((y[index] ?? 0) - meanY), 0),
    x.reduce((sum, each) => sum + (each - meanX) ** 2, 0),
  ];
  return up / across;
}

export function verdictOf(samples: readonly Sample[], longestLivezMs: number): Verdict {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const half = Math.floor(warm.length / 2);
  const heapMbPerHour = slopePerHour(warm);
  const [handlesEarly, handlesLate] = [
    medianOf(warm.slice(0, half).map(({ handles }) => handles)),
    medianOf(warm.slice(half).map(({ handles }) => handles)),
  ];
  const problems = [
    ...(heapMbPerHour < HEAP_MB_PER_HOUR_MAX ? [] : [`the heap grows by ${heapMbPerHour.toFixed(2)} MB an hour`]),
    ...(handlesLate - handlesEarly <= HANDLES_GROWTH_MAX ? [] : [`${handlesEarly} handles became ${handlesLate}`]),
    ...(longestLivezMs < LIVEZ_MAX_MS ? [] : [`/livez took ${longestLivezMs.toFixed(0)} ms once`]),
  ];
  return { heapMbPerHour, handlesEarly, handlesLate, problems };
}
