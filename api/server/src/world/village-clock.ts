import { TICK_MS } from '@hamlet/contract';

/** The village's time: whole ticks since its genesis. It never goes back, and does not jump when the machine's clock is set. */
export interface VillageClock {
  tick(): number;
}

/** Anchors the village's time to Postgres' clock, so that all replicas agree, and runs on this process' monotonic clock from there. */
export function createVillageClock(
  village: { readonly genesisMs: number; readonly nowMs: number },
  monotonicMs: () => number,
): VillageClock {
  const originMs = village.nowMs - village.genesisMs - monotonicMs();
  return { tick: () => Math.max(0, Math.floor((originMs + monotonicMs()) / TICK_MS)) };
}
