import { TICK_MS } from '@hamlet/contract';

/** The village's time: whole ticks since its genesis. It never goes back, and does not jump when the machine's clock is changed. */
export interface VillageClock {
  tick(): number;
}

/** From the clock of Postgres, so that all replicas agree; then by this process's monotonic clock. */
export function createVillageClock(
  village: { readonly genesisMs: number; readonly nowMs: number },
  monotonicMs: () => number,
): VillageClock {
  const originMs = village.nowMs - village.genesisMs - monotonicMs();
  return { tick: () => Math.max(0, Math.floor((originMs + monotonicMs()) / TICK_MS)) };
}
