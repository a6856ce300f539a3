import { backoff } from '@hamlet/core';

/** Milliseconds before reconnect number `attempt`, from 0. Half of the wait is random, so that browsers do not reconnect all at once. */
export const reconnectMs = (attempt: number, chance: number): number =>
  backoff(attempt + 1, { first: 500, longest: 15_000 }, chance);
