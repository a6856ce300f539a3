import { z } from 'zod';
import type { Want } from './wants.ts';

/** Between two looks at prices and auctions, in ticks: a minute. */
export const LOOK_GAP_TICKS = 600;
/** Between two purchases, in ticks: an hour, which is as long as one lasts. */
export const BUY_GAP_TICKS = 36_000;

const Tick = z.int().min(0);

/** What the brain carries of its trade from turn to turn, as it lies in memory under the name `trade`. */
export const TradeMind = z.strictObject({
  /** When it looked at prices last, and when it bought last. */
  lookedAt: Tick.nullable(),
  boughtAt: Tick.nullable(),
});
export type TradeMind = Readonly<z.infer<typeof TradeMind>>;

export const NEW_TO_TRADE: TradeMind = { lookedAt: null, boughtAt: null };

/** A thing that the agent wants, at the price that the village asks and that it can give. */
export interface Offer {
  readonly want: Want;
  /** aiDollars. */
  readonly price: string;
}

/** A bid that the agent would make. */
export interface PlannedBid {
  readonly auctionId: string;
  /** aiDollars. */
  readonly amount: string;
  readonly lane: string;
  readonly hours: string;
  /** The same time at the price list, in aiDollars. */
  readonly listPrice: string;
}

/** What a look at prices and auctions came to: only what the agent would do. */
export interface TradeSight {
  readonly offer: Offer | null;
  readonly bid: PlannedBid | null;
}

/** Whether it is time to look at prices and auctions again. Pure. */
export function looksAgain({ lookedAt }: TradeMind, tick: number): boolean {
  return lookedAt === null || tick - lookedAt >= LOOK_GAP_TICKS;
}

/** Whether it may buy again. Pure. */
export function mayBuy({ boughtAt }: TradeMind, tick: number): boolean {
  return boughtAt === null || tick - boughtAt >= BUY_GAP_TICKS;
}
