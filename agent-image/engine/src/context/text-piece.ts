import { withoutMiddle } from '../effects/tool-outcome.ts';
import type { Piece, Sized } from './fit-pieces.ts';

/** The tokens of a text as a tokenizer counts them, or an estimate. */
export type TokenCounter = (text: string) => number;

/** An estimate by the bytes of a token. With 1 it never counts too few for a tokenizer whose tokens have at least one byte. */
export const byBytes =
  (bytesPerToken: number): TokenCounter =>
  (text) =>
    Math.ceil(Buffer.byteLength(text) / bytesPerToken);

/** An excerpt of fewer characters is hardly more than the note about what is missing. */
const LEAST_CHARS = 80;
const CUT_AGAIN = 0.8;

/** A text without its middle, in at most `maxTokens`; null if that leaves too little of it. */
export function shortenText(text: string, maxTokens: number, countTokens: TokenCounter): Sized<string> | null {
  const tokens = countTokens(text);
  if (tokens <= maxTokens) return { value: text, tokens };
  for (let chars = (text.length * maxTokens) / tokens; chars >= LEAST_CHARS; chars *= CUT_AGAIN) {
    const value = withoutMiddle(text, Math.floor(chars));
    const size = countTokens(value);
    if (size <= maxTokens) return { value, tokens: size };
  }
  return null;
}

type Placing = Pick<Piece<string>, 'place' | 'importance'>;

export const textPiece = (text: string, { place, importance }: Placing, countTokens: TokenCounter): Piece<string> => ({
  value: text,
  tokens: countTokens(text),
  place,
  importance,
  shorten: (maxTokens) => shortenText(text, maxTokens, countTokens),
});
