/** Bounds of one store and of one request. Ids and names are in characters. */
export const DEFAULT_CAPACITY = 200_000;
export const MAX_TEXT_CHARS = 16_000;
export const MAX_NAME_CHARS = 200;
export const MAX_AUDIENCE = 256;
export const MAX_PROVENANCE = 1_024;
/** Maximum number of memories in one call of `remember`, and of ids in one call of `use`, `forget` or `bury`. */
export const MAX_BATCH = 1_000;
/** Maximum number of pinned memories of one audience: the people of one conversation, or everybody. */
export const MAX_PINNED = 200;
export const MAX_QUERY_CHARS = 4_000;
export const MAX_HITS = 100;
export const MAX_LISTED = 1_000;

/** A count from a caller, between 1 and the most that is allowed. */
export const clamped = (count: number, most: number): number => (count >= 1 ? Math.min(Math.trunc(count), most) : 1);
