/** The verdict of a soak. Pure. */

/** The operator at one moment. */
export interface Sample {
  readonly atMs: number;
  readonly rssMb: number;
  /** Watches of the operator that the API server counts, without those that were open before the operator started. */
  readonly watches: number;
  readonly requests: number;
}

export interface Verdict {
  readonly rssEarlyMb: number;
  readonly rssLateMb: number;
  readonly watchesEarly: number;
  readonly watchesLate: number;
  readonly problems: readonly string[];
}

/** Memory of a garbage-collected process varies by this much; more between the second and the last quarter is growth. */
const GROWTH_MB = 10;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function quarter(samples: readonly Sample[], index: number): readonly Sample[] {
  return samples.slice(
    Math.floor((samples.length * index) / 4),
    Math.max(1, Math.floor((samples.length * (index + 1)) / 4)),
  );
}

/** Compares the second quarter with the last, because the process still warms up in the first. */
export function verdictOf(
  samples: readonly Sample[],
  missed: readonly string[],
  unsettled: readonly string[],
): Verdict {
  const [early, late] = [quarter(samples, 1), quarter(samples, 3)];
  const read = (part: readonly Sample[], what: (sample: Sample) => number): number => median(part.map(what));
  const figures = {
    rssEarlyMb: read(early, ({ rssMb }) => rssMb),
    rssLateMb: read(late, ({ rssMb }) => rssMb),
    watchesEarly: read(early, ({ watches }) => watches),
    watchesLate: read(late, ({ watches }) => watches),
  };
  const problems = [
    ...missed.map((what) => `missed: ${what}`),
    ...unsettled.map((what) => `not settled in the end: ${what}`),
    ...(figures.rssLateMb - figures.rssEarlyMb > GROWTH_MB
      ? [`memory grew from ${figures.rssEarlyMb.toFixed(1)} to ${figures.rssLateMb.toFixed(1)} MB`]
      : []),
    ...(figures.watchesLate > figures.watchesEarly
      ? [`watches grew from ${figures.watchesEarly} to ${figures.watchesLate}`]
      : []),
  ];
  return { ...figures, problems };
}
