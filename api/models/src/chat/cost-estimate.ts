import type { TokenUsage } from './token-usage.ts';

/** Prices of one million tokens in millionths of the currency. */
export interface ModelPrice {
  readonly currency: string;
  readonly promptMicros: bigint;
  readonly cachedPromptMicros: bigint;
  readonly cacheWriteMicros: bigint;
  readonly completionMicros: bigint;
}

/** An estimate from a price table, for information only: the ledger charges the price of the tier. */
export interface CostEstimate {
  readonly currency: string;
  readonly micros: bigint;
}

const TOKENS_PER_PRICE = 1_000_000n;

/** The cost of a usage, computed in integers. Pure. */
export function estimateCost(usage: TokenUsage, price: ModelPrice): CostEstimate {
  const uncached = usage.promptTokens - usage.cachedPromptTokens - usage.cacheWriteTokens;
  const sum =
    BigInt(uncached) * price.promptMicros +
    BigInt(usage.cachedPromptTokens) * price.cachedPromptMicros +
    BigInt(usage.cacheWriteTokens) * price.cacheWriteMicros +
    BigInt(usage.completionTokens) * price.completionMicros;
  return { currency: price.currency, micros: (sum + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE };
}
