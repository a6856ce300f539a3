import type { ModelPrice } from '../chat/cost-estimate.ts';
import type { Target } from '../chat/chat-delta.ts';
import { MODEL_ERROR_CODES, MODEL_ERRORS, type ModelErrorCode } from '../chat/model-error.ts';
import type { ModelsConfig, PriceConfig, RouteConfig } from './models-config.ts';

/** The text that the star of a pattern stands for; null if the name does not match. Pure. */
export function matchPattern(pattern: string, name: string): string | null {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return pattern === name ? '' : null;
  const isMatch = name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
  return isMatch ? name.slice(before.length, name.length - after.length) : null;
}

export interface Chain {
  readonly targets: readonly Target[];
  readonly fallbackOn: readonly ModelErrorCode[];
  readonly contextTokens: number;
  /** Maximum tokens of an answer, if the configuration has one. */
  readonly answerTokens: number | undefined;
}

const FALLBACK_CODES = MODEL_ERROR_CODES.filter((code) => MODEL_ERRORS[code].fallback);

/** Codes that were once a part of another one: a configuration that names that one means both. */
const PART_OF: Partial<Readonly<Record<ModelErrorCode, ModelErrorCode>>> = {
  forbidden: 'auth',
  no_such_model: 'bad_request',
  unreachable: 'network',
};

function withParts(named: readonly ModelErrorCode[]): readonly ModelErrorCode[] {
  return MODEL_ERROR_CODES.filter((code) =>
    [code, PART_OF[code]].some((one) => one !== undefined && named.includes(one)),
  );
}

function chainOf(route: RouteConfig, name: string, star: string): Chain {
  const { provider, model, fallbacks, fallbackOn = FALLBACK_CODES, contextTokens, answerTokens } = route;
  const upstream = model?.replace('*', () => star) ?? name;
  const targets = [{ provider, model: upstream }, ...fallbacks];
  return { targets, fallbackOn: withParts(fallbackOn), contextTokens, answerTokens };
}

/** The chain of the first route that matches a name; null if none does. Pure. */
export function findRoute({ routes }: Pick<ModelsConfig, 'routes'>, name: string): Chain | null {
  for (const route of routes) {
    const star = matchPattern(route.match, name);
    if (star !== null) return chainOf(route, name, star);
  }
  return null;
}

const PLACES = 6;

/** Millionths of a valid decimal text: `2.5` is 2,500,000. Pure. */
export function parseMicros(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(PLACES, '0'));
}

function priceOf(currency: string, { prompt, cachedPrompt, cacheWrite, completion }: PriceConfig): ModelPrice {
  return {
    currency,
    promptMicros: parseMicros(prompt),
    cachedPromptMicros: parseMicros(cachedPrompt ?? prompt),
    cacheWriteMicros: parseMicros(cacheWrite ?? prompt),
    completionMicros: parseMicros(completion),
  };
}

export function findPrice({ prices }: Pick<ModelsConfig, 'prices'>, { provider, model }: Target): ModelPrice | null {
  const found = prices?.models.find(
    (price) => (price.provider ?? provider) === provider && matchPattern(price.model, model) !== null,
  );
  return prices === undefined || found === undefined ? null : priceOf(prices.currency, found);
}
