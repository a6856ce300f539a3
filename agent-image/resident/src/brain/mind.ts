import { z } from 'zod';
import { NEW_TO_THE_BOARD } from './board/board-mind.ts';
import type { BoardMind } from './board/board-mind.ts';
import { NEW_TO_TRADE } from './trade/trade-sight.ts';
import type { TradeMind } from './trade/trade-sight.ts';

const Tick = z.int().min(0);
/** Longest list or table in a mind; the oldest entries go first. */
const MAX_ENTRIES = 64;

const Talk = z.strictObject({ times: z.int().min(0), tick: Tick });

/** What the brain carries of its day from turn to turn, as it lies in memory under the name `plan`. */
export const DayMind = z.strictObject({
  /** The village day that the lists below belong to. */
  day: z.int().min(0),
  /** What the agent was about at the last turn, in words. */
  goal: z.string().max(200),
  /** Landmarks where it did what one does there, today. */
  visited: z.array(z.string()),
  /** Whom it greeted today, and when. */
  greeted: z.record(z.string(), Tick),
  /** How often in a row it answered somebody, and when last. */
  answered: z.record(z.string(), Talk),
  /** Whether the errand of today is done. */
  delivered: z.boolean(),
  /** What it said today by itself: not said again. */
  said: z.array(z.string().max(200)).default([]),
  /** What the world refused, and when: not tried again for a while. */
  refused: z.record(z.string(), Tick),
});
export type DayMind = Readonly<z.infer<typeof DayMind>>;

/** All that the brain carries from turn to turn; its parts of the board and of trade lie in memory by themselves. */
export type Mind = DayMind & { readonly board: BoardMind; readonly trade: TradeMind };

export const NEW_DAY: DayMind = {
  day: 0,
  goal: 'waking up',
  visited: [],
  greeted: {},
  answered: {},
  delivered: false,
  said: [],
  refused: {},
};
export const NEWBORN: Mind = { ...NEW_DAY, board: NEW_TO_THE_BOARD, trade: NEW_TO_TRADE };

/** The mind on a given day: a new day starts with empty lists. */
export function onDay(mind: Mind, day: number): Mind {
  return mind.day === day
    ? mind
    : { ...NEW_DAY, day, goal: mind.goal, answered: mind.answered, board: mind.board, trade: mind.trade };
}

/** A table with one more entry, the newest last, bounded. */
export function withEntry<T>(table: Readonly<Record<string, T>>, key: string, value: T): Record<string, T> {
  const others = Object.entries(table).filter(([name]) => name !== key);
  return Object.fromEntries([...others.slice(1 - MAX_ENTRIES), [key, value]]);
}

/** A list with one more text, the newest last, bounded; null adds none. */
export function withText(texts: readonly string[], text: string | null): string[] {
  return text === null ? [...texts] : [...texts.filter((each) => each !== text), text].slice(-MAX_ENTRIES);
}
