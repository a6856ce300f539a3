import { matchPattern } from './find-route.ts';

/** Tokens of an answer of a model without a description: every present model of the large providers writes as many. */
const USUAL_MAX = 16_384;
const LARGE_MAX = 32_768;

/** Maximum tokens of an answer, by the providers' documents. The first pattern that matches the model counts. */
const KNOWN: readonly (readonly [pattern: string, tokens: number])[] = [
  ['gpt-3.5*', 4_096],
  ['gpt-4-*', 4_096],
  ['gpt-4.1*', LARGE_MAX],
  ['gpt-5*', LARGE_MAX],
  ['o1*', LARGE_MAX],
  ['o3*', LARGE_MAX],
  ['o4*', LARGE_MAX],
  ['claude-3-5*', 8_192],
  ['claude-3-7*', LARGE_MAX],
  ['claude-3-*', 4_096],
  ['claude-*', LARGE_MAX],
  ['deepseek-chat*', 8_192],
];

/**
 * Tokens that an answer may have if neither the request nor the configuration has a limit: what the model can write,
 * and at most half of its context. Pure.
 */
export function answerLimit(model: string, contextTokens: number): number {
  // OpenRouter writes the maker before the name: `anthropic/claude-opus-4`.
  const name = model.slice(model.lastIndexOf('/') + 1);
  const known = KNOWN.find(([pattern]) => matchPattern(pattern, name) !== null)?.[1] ?? USUAL_MAX;
  return Math.max(1, Math.min(known, Math.floor(contextTokens / 2)));
}
