import type { Run } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';

const LIVE_MS = 3_000;
const SETTLED_MS = 60_000;

/** Milliseconds after which the page reads again what belongs to a run: its permissions, calls and workers. Pure. */
export function runRefreshMs({ state }: Pick<Run, 'state'>): number {
  return isSettled(state) ? SETTLED_MS : LIVE_MS;
}
