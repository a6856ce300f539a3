import { z } from 'zod';

const Tick = z.int().min(0);
/** Longest list or table of the day; the oldest entries are dropped first. */
const MAX_ENTRIES = 64;
/** Longest list or table of the board: the whole state must fit one observation of the memory. */
export const BOARD_ENTRIES_MAX = 16;
const NAME_MAX_CHARS = 64;

const Times = z.strictObject({ times: z.int().min(0), tick: Tick });
/** The number of replies or answers in a row, and the tick of the last. */
export type Times = Readonly<z.infer<typeof Times>>;

// The memory file on the agent's volume holds these fields: a new name would lose what older residents stored.

/** The state of the day, stored in memory under the name `plan`. */
export const DayMind = z.strictObject({
  /** The village day of the lists below. */
  day: z.int().min(0),
  /** The goal of the last turn, in words. */
  goal: z.string().max(200),
  /** Landmarks that it has used today. */
  visited: z.array(z.string()),
  /** Agents that it greeted today, by id. */
  greeted: z.record(z.string(), Tick),
  /** Its answers in a row, by speaker. */
  answered: z.record(z.string(), Times),
  /** Whether today's errand is done. */
  delivered: z.boolean(),
  /** Sentences of its own list that it said today; it does not repeat them. */
  said: z.array(z.string().max(200)).default([]),
  /** Refused commands by key; it does not repeat them for a while. */
  refused: z.record(z.string(), Tick),
});
export type DayMind = Readonly<z.infer<typeof DayMind>>;

/** Advice of a person to go to a place, and to use it. */
const Advice = z.strictObject({
  landmarkId: z.string().max(NAME_MAX_CHARS),
  use: z.boolean(),
  from: z.string().max(NAME_MAX_CHARS),
  tick: Tick,
});
export type Advice = Readonly<z.infer<typeof Advice>>;

/** The state of the board, stored in memory under the name `board`. */
export const BoardMind = z.strictObject({
  /** Cursor of the news. */
  after: z.string().max(256).nullable(),
  /** Posts and replies that it is done with. */
  passed: z.array(z.string().max(NAME_MAX_CHARS)),
  /** Its replies to agents, by thread. */
  threads: z.record(z.string(), Times),
  /** Its questions by subject. */
  asked: z.record(z.string(), Tick),
  /** Version of the newest entry of its account that it has read; null before the first look. */
  entry: z.int().min(0).nullable(),
  /** The balance at that look. */
  balance: z.string().max(NAME_MAX_CHARS).nullable(),
  /** The plan that it has announced, and the tick of its last post about a plan. */
  plan: z
    .strictObject({
      tier: z.string().max(NAME_MAX_CHARS).nullable(),
      model: z.string().max(128).nullable(),
      toolCalls: z.int().min(0),
    })
    .nullable(),
  toldAt: Tick.nullable(),
  advice: Advice.nullable(),
  /** Tick at which it last explained what it understands. */
  explainedAt: Tick.nullable().default(null),
});
export type BoardMind = Readonly<z.infer<typeof BoardMind>>;

/** The state of trade, stored in memory under the name `trade`: the ticks of the last look at prices and of the last purchase. */
export const TradeMind = z.strictObject({ lookedAt: Tick.nullable(), boughtAt: Tick.nullable() });
export type TradeMind = Readonly<z.infer<typeof TradeMind>>;

/** The state that the brain carries from turn to turn. */
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
export const NEWBORN: Mind = { ...NEW_DAY, board: NEW_TO_THE_BOARD, trade: NEW_TO_TRADE };

/** The mind on a given day: the lists of an earlier day are dropped. */
export function onDay(mind: Mind, day: number): Mind {
  const { goal, answered, board, trade } = mind;
  return mind.day === day ? mind : { ...NEW_DAY, day, goal, answered, board, trade };
}

/** A bounded table with one more entry, the newest last. */
export function withEntry<T>(
  table: Readonly<Record<string, T>>,
  [key, value]: readonly [string, T],
  max = MAX_ENTRIES,
): Record<string, T> {
  const others = Object.entries(table).filter(([name]) => name !== key);
  return Object.fromEntries([...others.slice(1 - max), [key, value]]);
}

/** A bounded list with one more text, the newest last; null adds none. */
export function withText(texts: readonly string[], text: string | null, max = MAX_ENTRIES): string[] {
  return text === null ? [...texts] : [...texts.filter((each) => each !== text), text].slice(-max);
}
