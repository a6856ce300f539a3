/** The share of the free context that the results of one turn may take; the rest is for what follows. */
const SHARE = 0.5;
/** A low estimate, because code and data have fewer characters a token than prose. */
const CHARS_PER_TOKEN = 3;
/** Room of a result in a full context. */
const MIN_CHARS = 2_000;

interface Context {
  /** Null if the context of the model is unknown. */
  readonly contextTokens: number | null;
  /** Tokens of the last request. */
  readonly usedTokens: number;
  /** Calls of the turn, which share the room: the last request counts none of their results. */
  readonly calls: number;
}

/** Characters that the result of one call may have, so that the next request fits; null if it is unknown. Pure. */
export function resultRoom({ contextTokens, usedTokens, calls }: Context): number | null {
  if (contextTokens === null) return null;
  const free = Math.max(0, contextTokens - usedTokens) * SHARE;
  return Math.max(MIN_CHARS, Math.floor((free / Math.max(1, calls)) * CHARS_PER_TOKEN));
}
