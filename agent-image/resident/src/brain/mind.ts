import { z } from 'zod';
import { NEW_TO_LIFE, type LifeMind } from './life/life-mind.ts';

const Tick = z.int().min(0);
/** Maximum number of entries in a list or table of `DayMind`; the oldest are dropped first. */
const MAX_ENTRIES = 64;
/** The same limit for `BoardMind`: the whole state must fit into one observation of the memory. */
export const BOARD_ENTRIES_MAX = 16;
const NAME_MAX_CHARS = 64;

const Times = z.strictObject({ times: z.int().min(0), tick: Tick });
export type Times = Readonly<z.infer<typeof Times>>;

// The memory file on the agent's volume stores these fields: renaming one would lose the data of older residents.

/** The state of the day, stored in memory under the name `plan`. */
export const DayMind = z.strictObject({
  day: z.int().min(0),
  goal: z.string().max(200),
  visited: z.array(z.string()),
  greeted: z.record(z.string(), Tick),
  answered: z.record(z.string(), Times),
  delivered: z.boolean(),
  /** Scripted sentences that the agent said today and does not repeat. */
  said: z.array(z.string().max(200)).default([]),
  /** Refused commands by key; the agent does not repeat them for a while. */
  refused: z.record(z.string(), Tick),
});
export type DayMind = Readonly<z.infer<typeof DayMind>>;

const Advice = z.strictObject({
  landmarkId: z.string().max(NAME_MAX_CHARS),
  use: z.boolean(),
  from: z.string().max(NAME_MAX_CHARS),
  tick: Tick,
});
export type Advice = Readonly<z.infer<typeof Advice>>;

/** The state of the board, stored in memory under the name `board`. */
export const BoardMind = z.strictObject({
  after: z.string().max(256).nullable(),
  /** Posts and replies that the agent need not consider again. */
  passed: z.array(z.string().max(NAME_MAX_CHARS)),
  threads: z.record(z.string(), Times),
  asked: z.record(z.string(), Tick),
  /** Version of the newest account entry that the agent has read; null before the first read. */
  entry: z.int().min(0).nullable(),
  balance: z.string().max(NAME_MAX_CHARS).nullable(),
  /** The plan that the agent has announced, and the tick of its last post about a plan. */
  plan: z
    .strictObject({
      tier: z.string().max(NAME_MAX_CHARS).nullable(),
      model: z.string().max(128).nullable(),
      toolCalls: z.int().min(0),
    })
    .nullable(),
  toldAt: Tick.nullable(),
  advice: Advice.nullable(),
  /** Tick at which the agent last explained which texts it understands. */
  explainedAt: Tick.nullable().default(null),
});
export type BoardMind = Readonly<z.infer<typeof BoardMind>>;

/** The trade state, stored under the name `trade`: the ticks at which the agent last read prices and last bought. */
export const TradeMind = z.strictObject({ lookedAt: Tick.nullable(), boughtAt: Tick.nullable() });
export type TradeMind = Readonly<z.infer<typeof TradeMind>>;

export type Mind = DayMind & { readonly board: BoardMind; readonly trade: TradeMind; readonly life: LifeMind };

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
export const NEW_TO_THE_BOARD: BoardMind = {
  after: null,
  passed: [],
  threads: {},
  asked: {},
  entry: null,
  balance: null,
  plan: null,
  toldAt: null,
  advice: null,
  explainedAt: null,
};
export const NEW_TO_TRADE: TradeMind = { lookedAt: null, boughtAt: null };
export const NEWBORN: Mind = { ...NEW_DAY, board: NEW_TO_THE_BOARD, trade: NEW_TO_TRADE, life: NEW_TO_LIFE };

export function onDay(mind: Mind, day: number): Mind {
  const { goal, answered, board, trade, life } = mind;
  return mind.day === day ? mind : { ...NEW_DAY, day, goal, answered, board, trade, life };
}

export function withEntry<T>(
  table: Readonly<Record<string, T>>,
  [key, value]: readonly [string, T],
  max = MAX_ENTRIES,
): Record<string, T> {
  const others = Object.entries(table).filter(([name]) => name !== key);
  return Object.fromEntries([...others.slice(1 - max), [key, value]]);
}

export function withText(texts: readonly string[], text: string | null, max = MAX_ENTRIES): string[] {
  return text === null ? [...texts] : [...texts.filter((each) => each !== text), text].slice(-max);
}
