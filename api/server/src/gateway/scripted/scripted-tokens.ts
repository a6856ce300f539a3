import type { PromptMessage } from '../model-provider.ts';

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;

/** The words of a text with what separates them, each of which counts as tokens by its length. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+/gu) ?? [];
}

/** Tokens of a text as the scripted models count them: one for each four characters of a word, at least one. Pure. */
export function tokensOf(text: string): number {
  return piecesOf(text).reduce((sum, piece) => sum + Math.ceil(piece.trim().length / CHARS_PER_TOKEN), 0);
}

/** Tokens of a conversation. Pure. */
export function promptTokensOf(messages: readonly PromptMessage[]): number {
  return messages.reduce((sum, { text }) => sum + TOKENS_PER_MESSAGE + tokensOf(text), 0);
}
