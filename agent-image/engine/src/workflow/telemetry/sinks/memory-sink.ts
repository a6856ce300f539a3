import type { TelemetrySink } from '../bus.ts';
import type { TelemetryEvent } from '../event.ts';

const MAX_KEPT = 10_000;

export type MemorySink = TelemetrySink & Readonly<{ events: () => readonly TelemetryEvent[] }>;

/** Keeps the newest events, at most 10,000. */
export function memorySink(): MemorySink {
  const kept: TelemetryEvent[] = [];
  return {
    name: 'memory',
    write: (events) => {
      kept.push(...events);
      // A copy for each write would cost more than all else.
      if (kept.length >= 2 * MAX_KEPT) kept.splice(0, kept.length - MAX_KEPT);
    },
    events: () => kept.slice(-MAX_KEPT),
  };
}
