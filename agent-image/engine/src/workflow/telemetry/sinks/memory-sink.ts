import type { TelemetrySink } from '../bus.ts';
import type { TelemetryEvent } from '../event.ts';

const MAX_KEPT = 10_000;

export type MemorySink = TelemetrySink & Readonly<{ events: () => readonly TelemetryEvent[] }>;

/** Keeps the newest events, at most 10,000. */
export function memorySink(): MemorySink {
  let kept: readonly TelemetryEvent[] = [];
  return {
    name: 'memory',
    write: (events) => {
      kept = [...kept, ...events].slice(-MAX_KEPT);
    },
    events: () => kept,
  };
}
