/** The agent's trade: its wants, what it can afford, and its bids. Amounts of type bigint are micro-aiDollars. Pure. */
import type { Limits, PriceList } from '@hamlet/contract';
import { parseAiDollars } from '@hamlet/contract/resident';
import { compareText } from '@hamlet/core/compare-text';
import { decision, type Rule } from './decision.ts';
import type { TradeMind } from './mind.ts';
import type { Want } from './situation.ts';
import { itemInWords } from './words.ts';

/** The agent reads prices and auctions once a minute. It buys at most once an hour, for one hour each time. */
export const LOOK_GAP_TICKS = 600;
export const BUY_GAP_TICKS = 36_000;
export const BUY_SECONDS = 3_600;
/** The agent spends at most a tenth of its available money on a need, and a twentieth on a wish. */
export const NEED_ONE_IN = 10n;
export const WISH_ONE_IN = 20n;
/** All bids of the agent together hold at most a fifth of its available money. */
export const BIDS_ONE_IN = 5n;
/** The agent does not bid in the last 10 s of an auction. */
export const BID_LEAD_MS = 10_000;
const HOUR_MS = 3_600_000n;

/** Subject of the help request of an agent that has used up its hourly tokens. */
export const OUT_OF_TOKENS = 'model token_quota_exhausted';

export function looksAgain({ lookedAt }: TradeMind, tick: number): boolean {
  return lookedAt === null || tick - lookedAt >= LOOK_GAP_TICKS;
}

export function mayBuy({ boughtAt }: TradeMind, tick: number): boolean {
  return boughtAt === null || tick - boughtAt >= BUY_GAP_TICKS;
}

export interface WantsOf {
  readonly needs: readonly string[];
  readonly limits: Pick<Limits, 'models'>;
  readonly model: string | null;
  readonly prices: PriceList;
  readonly personWaits: boolean;
}

/** Models on the price list that the agent may not use, cheapest first. */
function modelsToBuy({ limits, prices }: WantsOf): readonly string[] {
  const price = (model: string): bigint => parseAiDollars(prices.models[model]?.per_hour ?? '0');
  const others = Object.keys(prices.models).filter((model) => !limits.models.includes(model));
  return others.toSorted((a, b) => Number(price(a) - price(b)) || compareText(a, b));
}

/**
 * The purchase that the agent wants now, or null. It buys tokens if those of the hour are used up, otherwise a model if it has
 * none, otherwise the most expensive model as a wish while a person waits for an answer.
 */
export function wantOf(seen: WantsOf): Want | null {
  const { needs, model, prices, personWaits } = seen;
  const need = { seconds: BUY_SECONDS, oneIn: NEED_ONE_IN };
  if (needs.includes(OUT_OF_TOKENS))
    return {
      ...need,
      item: { kind: 'quota', limit: 'tokens_per_hour', amount: prices.tokens_per_hour.unit },
      why: 'my tokens of this hour are used up',
    };
  const models = modelsToBuy(seen);
  const [cheapest] = models;
  const dearest = models.at(-1);
  if (model === null && cheapest !== undefined)
    return { ...need, item: { kind: 'model', model: cheapest }, why: 'my tier has no model to write with' };
  if (model === null || dearest === undefined || !personWaits || !isDearer(prices, { than: model, model: dearest }))
    return null;
  return {
    item: { kind: 'model', model: dearest },
    seconds: BUY_SECONDS,
    oneIn: WISH_ONE_IN,
    why: `a person waits for an answer on the board, and I would like to write it with the model ${dearest}`,
  };
}

function isDearer({ models }: PriceList, { model, than }: { readonly model: string; readonly than: string }): boolean {
  const [price, other] = [models[model], models[than]];
  return (
    price !== undefined && (other === undefined || parseAiDollars(price.per_hour) > parseAiDollars(other.per_hour))
  );
}

export interface QuotedPrice {
  readonly price: bigint;
  readonly available: bigint;
  readonly tier: string | null;
  readonly tierAfter: string | null;
}

/** True if the agent buys: the price is at most 1/`oneIn` of its available money, and its tier stays the same. */
export function buys({ price, available, tier, tierAfter }: QuotedPrice, oneIn: bigint): boolean {
  return price > 0n && price * oneIn <= available && tier === tierAfter;
}

export interface AuctionSeen {
  readonly state: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly closesAtMs: number;
  readonly reserve: bigint;
  readonly ownBid: bigint | null;
}

export interface Purse {
  readonly available: bigint;
  readonly inBids: bigint;
  readonly nowMs: number;
  readonly gpuHour: bigint;
}

/**
 * The agent's bid in an auction; null if it does not bid. It bids once, and never below the reserve. The winner pays the second
 * highest bid, so the agent bids the list price of the same time, limited by its share for bids.
 */
export function bidOf(
  { state, startsAtMs, endsAtMs, closesAtMs, reserve, ownBid }: AuctionSeen,
  { available, inBids, nowMs, gpuHour }: Purse,
): bigint | null {
  if (state !== 'open' || ownBid !== null || closesAtMs - nowMs < BID_LEAD_MS || endsAtMs <= startsAtMs) return null;
  const worth = (gpuHour * BigInt(endsAtMs - startsAtMs)) / HOUR_MS;
  const share = (available + inBids) / BIDS_ONE_IN - inBids;
  const amount = worth < share ? worth : share;
  return amount > 0n && amount >= reserve ? amount : null;
}

export const buy: Rule = (situation) => {
  const { trade, mind, tick } = situation;
  const offer = trade?.offer ?? null;
  if (offer === null) return null;
  const { want, price } = offer;
  return decision(situation, {
    command: { kind: 'buy', item: want.item, seconds: want.seconds, maxPrice: price },
    goal: mind.goal,
    why: `${want.why}: ${itemInWords(want.item)} costs ${price} aiDollars for an hour, at most one part in ${want.oneIn} of what I can spend`,
    change: { trade: { ...mind.trade, boughtAt: tick } },
  });
};

export const bid: Rule = (situation) => {
  const planned = situation.trade?.bid ?? null;
  if (planned === null) return null;
  const { auctionId, amount, lane, hours, listPrice } = planned;
  return decision(situation, {
    command: { kind: 'bid', auctionId, amount },
    goal: situation.mind.goal,
    why: `${hours} h of the GPUs of ${lane} cost ${listPrice} aiDollars on the price list, and a fifth of my money is for bids`,
  });
};
