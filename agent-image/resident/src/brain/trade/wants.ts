import type { Limits, PriceList, PurchaseItem } from '@hamlet/contract';
import { parseAiDollars } from '@hamlet/contract/resident';

/** The time for which it buys anything, in seconds: an hour. */
export const BUY_SECONDS = 3_600;

/** Something that the agent would buy, and why. */
export interface Want {
  readonly item: PurchaseItem;
  readonly seconds: number;
  /** The part of its free money that it gives at most: one in so many. */
  readonly oneIn: bigint;
  readonly why: string;
}

/** The subject of the need of an agent whose tokens of the hour are used up. */
export const OUT_OF_TOKENS = 'model token_quota_exhausted';

/** A need may take a tenth of what it can spend, a wish a twentieth. */
export const NEED_ONE_IN = 10n;
export const WISH_ONE_IN = 20n;

export interface WantsOf {
  /** Subjects of the needs that wait. */
  readonly needs: readonly string[];
  readonly limits: Pick<Limits, 'models'>;
  /** The model that it writes with; null where it writes by itself. */
  readonly model: string | null;
  readonly prices: PriceList;
  /** Whether a person waits for an answer on the board. */
  readonly personWaits: boolean;
}

/** Models on the price list that the agent may not use, cheapest first. */
function modelsToBuy({ limits, prices }: WantsOf): readonly string[] {
  const price = (model: string): bigint => parseAiDollars(prices.models[model]?.per_hour ?? '0');
  const others = Object.keys(prices.models).filter((model) => !limits.models.includes(model));
  return others.toSorted((a, b) => Number(price(a) - price(b)) || a.localeCompare(b));
}

/**
 * The one thing that the agent would buy now; null where it wants nothing. Needs come first: tokens when those of the hour are used up, the
 * cheapest model when its tier has none. A wish is the dearest model, when a person waits for an answer on the board. Pure.
 */
export function wantOf(seen: WantsOf): Want | null {
  const { needs, model, prices, personWaits } = seen;
  if (needs.includes(OUT_OF_TOKENS)) {
    const amount = prices.tokens_per_hour.unit;
    return {
      item: { kind: 'quota', limit: 'tokens_per_hour', amount },
      seconds: BUY_SECONDS,
      oneIn: NEED_ONE_IN,
      why: 'my tokens of this hour are used up',
    };
  }
  const models = modelsToBuy(seen);
  const [cheapest] = models;
  const dearest = models.at(-1);
  if (model === null && cheapest !== undefined)
    return {
      item: { kind: 'model', model: cheapest },
      seconds: BUY_SECONDS,
      oneIn: NEED_ONE_IN,
      why: 'my tier has no model to write with',
    };
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

/** A purchase in words that follow "for". Pure. */
export function itemInWords(item: PurchaseItem): string {
  switch (item.kind) {
    case 'quota':
      return `${item.amount} more ${item.limit === 'tokens_per_hour' ? 'tokens an hour' : 'requests a minute'}`;
    case 'model':
      return `the model ${item.model}`;
    case 'priority':
      return 'a better place in the queue for seats';
    case 'gpu':
      return `the GPUs of ${item.lane}`;
  }
}
