import type { Limits, Quota } from '@hamlet/contract';

/** A purchase and its time: milliseconds since 1970 by the database's clock; `untilMs` is exclusive. */
export type ActivePurchase = { readonly fromMs: number; readonly untilMs: number } & (
  | { readonly kind: 'quota'; readonly limit: Quota; readonly amount: number }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'priority' }
  | { readonly kind: 'gpu' }
);

export function lastsAt({ fromMs, untilMs }: ActivePurchase, nowMs: number): boolean {
  return fromMs <= nowMs && nowMs < untilMs;
}

/** Null means no limit, and stays null. */
function raised(limit: number | null, quota: Quota, lasting: readonly ActivePurchase[]): number | null {
  if (limit === null) return null;
  return lasting.reduce(
    (sum, bought) => (bought.kind === 'quota' && bought.limit === quota ? sum + bought.amount : sum),
    limit,
  );
}

/** Bought models come after those of the tier: the first model is the default. `nowMs`: the database's clock. */
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
    models: [...new Set([...tier.models, ...models])],
  };
}
