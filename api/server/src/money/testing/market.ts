import { PriceList } from '@hamlet/contract';

/** Agents that trade in the tests, and the first balance of each in micro-aiDollars. */
export const BUYERS = Array.from({ length: 12 }, (_, index) => `buyer-${index}`);
export const PURSE_MICRO = 1_000_000_000n;

const LANES = 16;
const SLOT_MS = 10_000;
/** Time until the first window begins, so long that no window begins while a test runs. */
const AHEAD_MS = 7_200_000;

export const PRICES = PriceList.parse({
  gpu: { per_hour: '3.6', lanes: Array.from({ length: LANES }, (_, index) => ({ lane: `gpu-${index}` })) },
});

/** Seeded random numbers: see test/env/seeded.ts. */
export interface Chances {
  between(low: number, high: number): number;
  one<T>(of: readonly T[]): T | undefined;
}

export interface MarketWindow {
  readonly lane: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** A window of one to three slots of ten seconds; with so few slots per lane, many overlap. */
export function someWindow(
  chances: Chances,
  { fromMs, slots }: { readonly fromMs: number; readonly slots: number },
): MarketWindow {
  const lane = chances.one(PRICES.gpu.lanes)?.lane ?? 'gpu-0';
  const startsMs = fromMs + AHEAD_MS + Math.floor(chances.between(0, slots)) * SLOT_MS;
  return {
    lane,
    startsAt: new Date(startsMs),
    endsAt: new Date(startsMs + Math.ceil(chances.between(0, 3)) * SLOT_MS),
  };
}
