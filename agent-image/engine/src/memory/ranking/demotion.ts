import { recencyOf, useOf } from './rank.ts';

type Judged = Readonly<{
  lastSaidAt: number;
  lastUsedAt: number | null;
  uses: number;
  importance: number;
  validTo: number | null;
}>;

const HALF_LIFE_DAYS = 60;
/** Below it a memory becomes dormant: unused and of ordinary importance after some 11 weeks, an important one never. */
const DORMANT_BELOW = 0.75;
/** Factor for a fact that has ended. */
const ENDED = 0.5;

/** The reasons to keep a memory at hand: how new it is or how lately used, how important, and how often used. */
export function standingOf({ lastSaidAt, lastUsedAt, uses, importance, validTo }: Judged, now: number): number {
  const recency = recencyOf(Math.max(lastSaidAt, lastUsedAt ?? 0), now, HALF_LIFE_DAYS);
  const ended = validTo !== null && validTo <= now ? ENDED : 0;
  return importance + useOf(uses) + recency - ended;
}

export const shouldSleep = (memory: Judged & Readonly<{ pinned: boolean }>, now: number): boolean =>
  !memory.pinned && standingOf(memory, now) < DORMANT_BELOW;
