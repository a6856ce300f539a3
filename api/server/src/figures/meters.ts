import { z } from 'zod';
import type { Counter, Counters } from './sources/kubelet-summary.ts';

/** A longer gap gives no rate, because its average would hide what happened within it. */
const GAP_MAX_MS = 120_000;

const Rated = z
  .strictObject({ atMs: z.number(), value: z.number().min(0), perSecond: z.number().min(0).nullable() })
  .nullable();
type Rated = z.infer<typeof Rated>;

/** The last counters of a node or a pod, with their rates a second. */
export const Meter = z.strictObject({ cpu: Rated, received: Rated, sent: Rated });
export type Meter = z.infer<typeof Meter>;

function rated(counter: Counter | null, before: Rated | undefined): Rated {
  if (counter === null) return null;
  if (before === null || before === undefined) return { ...counter, perSecond: null };
  const passedMs = counter.atMs - before.atMs;
  // The kubelet reads its counters at an interval of its own, so two readings may have the same ones.
  if (passedMs === 0) return before;
  const grown = counter.value - before.value;
  const hasRate = passedMs > 0 && passedMs <= GAP_MAX_MS && grown >= 0;
  return { ...counter, perSecond: hasRate ? (grown * 1_000) / passedMs : null };
}

/** The meter after a reading. A counter that restarted, or that was read long ago, gets its rate at the next reading. */
export const nextMeter = (counters: Counters, before: Meter | undefined): Meter => ({
  cpu: rated(counters.cpu, before?.cpu),
  received: rated(counters.received, before?.received),
  sent: rated(counters.sent, before?.sent),
});

const NANO = 1e9;

const rateOf = (counter: Rated | undefined): number | null => counter?.perSecond ?? null;

/** Cores in use and bytes a second; null where no rate is known. */
export function ratesOf(meter: Meter | undefined) {
  const nanos = rateOf(meter?.cpu);
  return {
    cpuCores: nanos === null ? null : nanos / NANO,
    receivedPerS: rateOf(meter?.received),
    sentPerS: rateOf(meter?.sent),
  };
}
