import {
  AMOUNT_MAX_AIDOLLARS,
  MICRO,
  parseAiDollars,
  type GpuLane,
  type PriceList,
  type PurchaseItem,
  type Limits,
  type Quota,
  AUCTION_LEAD_SECONDS,
  PURCHASE_SECONDS_MAX,
  WINDOW_AHEAD_SECONDS_MAX,
} from '@hamlet/contract';

/** Milliseconds since 1970. */
interface WindowTimes {
  readonly startsMs: number;
  readonly endsMs: number;
}

const SECOND_MS = 1_000;

/** A sentence with the fix; null if the times are valid. */
export function windowFault({ startsMs, endsMs }: WindowTimes, nowMs: number): string | null {
  if (startsMs < nowMs) return 'the window must not begin in the past: write a later starts_at';
  if (startsMs > nowMs + WINDOW_AHEAD_SECONDS_MAX * SECOND_MS)
    return `the window begins more than ${WINDOW_AHEAD_SECONDS_MAX / 86_400} days ahead: write an earlier starts_at`;
  if (endsMs <= startsMs) return 'the window must end after it begins: write a later ends_at';
  if (endsMs - startsMs > PURCHASE_SECONDS_MAX * SECOND_MS)
    return `the window is longer than ${PURCHASE_SECONDS_MAX / 86_400} days: write an earlier ends_at`;
  return null;
}

/** Like {@link windowFault}, for the end of the bidding. */
export function auctionFault(times: WindowTimes & { readonly closesMs: number }, nowMs: number): string | null {
  const { closesMs, startsMs } = times;
  if (closesMs <= nowMs) return 'the bidding must end in the future: write a later closes_at';
  if (startsMs - closesMs < AUCTION_LEAD_SECONDS * SECOND_MS)
    return `the bidding must end at least ${AUCTION_LEAD_SECONDS} s before the window begins: write an earlier closes_at`;
  return windowFault(times, nowMs);
}

/** A purchase and its time: milliseconds since 1970 by the database's clock; `untilMs` is exclusive. */
export type ActivePurchase = { readonly fromMs: number; readonly untilMs: number } & (
  | { readonly kind: 'quota'; readonly limit: Quota; readonly amount: number }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'priority' }
  | { readonly kind: 'gpu' }
);

const lastsAt = ({ fromMs, untilMs }: ActivePurchase, nowMs: number): boolean => fromMs <= nowMs && nowMs < untilMs;

/** Null means no limit, and stays null. */
function raised(limit: number | null, quota: Quota, lasting: readonly ActivePurchase[]): number | null {
  if (limit === null) return null;
  return lasting.reduce(
    (sum, bought) => (bought.kind === 'quota' && bought.limit === quota ? sum + bought.amount : sum),
    limit,
  );
}

/** Bought models precede those of the tier: the first model is the default, and the agent has paid for them. `nowMs`: the database's clock. */
export function effectiveLimits<T extends Limits | null>(
  tier: T,
  purchases: readonly ActivePurchase[],
  nowMs: number,
): T {
  if (tier === null) return tier;
  const lasting = purchases.filter((purchase) => lastsAt(purchase, nowMs));
  const models = lasting.flatMap((bought) => (bought.kind === 'model' ? [bought.model] : []));
  return {
    ...tier,
    requests_per_minute: raised(tier.requests_per_minute, 'requests_per_minute', lasting),
    tokens_per_hour: raised(tier.tokens_per_hour, 'tokens_per_hour', lasting),
    models: [...new Set([...models, ...tier.models])],
  };
}

const HOUR_S = 3_600n;

/** Price of an amount for a time, at `perHour` micro-aiDollars for each `unit`. */
interface Rate {
  readonly perHour: bigint;
  readonly amount: bigint;
  readonly unit: bigint;
}

const flat = (perHour: string): Rate => ({ perHour: parseAiDollars(perHour), amount: 1n, unit: 1n });

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

/** Devices that a node has free for sale, by resource. */
export type FreeDevices = Readonly<Record<string, number>>;

/** The lanes whose devices exist: each in its order takes its devices from one node, the one with the most left. Pure. */
export function backedLanes(lanes: readonly GpuLane[], nodes: readonly FreeDevices[]): GpuLane[] {
  const left = nodes.map((node) => new Map(Object.entries(node)));
  return lanes.filter(({ resource_name: resource, count }) => {
    const [best] = left.toSorted((one, other) => (other.get(resource) ?? 0) - (one.get(resource) ?? 0));
    const free = best?.get(resource) ?? 0;
    if (free < count) return false;
    best?.set(resource, free - count);
    return true;
  });
}

const PRICE_MAX = BigInt(AMOUNT_MAX_AIDOLLARS) * MICRO;

/** Micro-aiDollars, rounded up; null if the item is not for sale or the price exceeds the limit of one transfer. */
export function priceOf(item: PurchaseItem, seconds: number, list: PriceList): bigint | null {
  const rate = rateOf(item, list);
  if (rate === null) return null;
  const divisor = rate.unit * HOUR_S;
  const price = (rate.perHour * rate.amount * BigInt(seconds) + divisor - 1n) / divisor;
  return price > PRICE_MAX ? null : price;
}
