import { AMOUNT_MAX_AIDOLLARS, MICRO, parseAiDollars } from '@hamlet/contract';
import type { GpuLane, PriceList, PurchaseItem } from '@hamlet/contract';

const HOUR_S = 3_600n;

/** Price of `amount` of something: `perHour` micro-aiDollars an hour for each `unit`. */
interface Rate {
  readonly perHour: bigint;
  readonly amount: bigint;
  readonly unit: bigint;
}

function flat(perHour: string): Rate {
  return { perHour: parseAiDollars(perHour), amount: 1n, unit: 1n };
}

function rateOf(item: PurchaseItem, list: PriceList): Rate | null {
  switch (item.kind) {
    case 'quota': {
      const { unit, per_hour: perHour } = list[item.limit];
      return { perHour: parseAiDollars(perHour), amount: BigInt(item.amount), unit: BigInt(unit) };
    }
    case 'priority':
      return flat(list.priority.per_hour);
    case 'model': {
      const price = Object.hasOwn(list.models, item.model) ? list.models[item.model] : undefined;
      return price === undefined ? null : flat(price.per_hour);
    }
    case 'gpu':
      return laneOf(list, item.lane) === null ? null : flat(list.gpu.per_hour);
  }
}

export function laneOf(list: PriceList, name: string): GpuLane | null {
  return list.gpu.lanes.find(({ lane }) => lane === name) ?? null;
}

/** Micro-aiDollars. */
const PRICE_MAX = BigInt(AMOUNT_MAX_AIDOLLARS) * MICRO;

/** Micro-aiDollars, rounded up; null if the item is not for sale or the price exceeds the limit of one transfer. */
export function priceOf(item: PurchaseItem, seconds: number, list: PriceList): bigint | null {
  const rate = rateOf(item, list);
  if (rate === null) return null;
  const divisor = rate.unit * HOUR_S;
  const price = (rate.perHour * rate.amount * BigInt(seconds) + divisor - 1n) / divisor;
  return price > PRICE_MAX ? null : price;
}
