import { z } from 'zod';

const Tick = z.int().min(0);
/** Longest table or list; the oldest entries go first. All of it must fit one observation of the memory. */
export const BOARD_ENTRIES_MAX = 16;
const NAME_MAX_CHARS = 64;

const Thread = z.strictObject({ times: z.int().min(0), tick: Tick });
export type Thread = Readonly<z.infer<typeof Thread>>;

const Plan = z.strictObject({
  tier: z.string().max(NAME_MAX_CHARS).nullable(),
  model: z.string().max(128).nullable(),
  toolCalls: z.int().min(0),
});

/** What somebody told the agent to do, as far as it could read it. */
const Advice = z.strictObject({
  landmarkId: z.string().max(NAME_MAX_CHARS),
  use: z.boolean(),
  from: z.string().max(NAME_MAX_CHARS),
  tick: Tick,
});
export type Advice = Readonly<z.infer<typeof Advice>>;

/** What the brain carries of the board from turn to turn, as it lies in memory under the name `board`. */
export const BoardMind = z.strictObject({
  /** Where to go on reading what concerns the agent. */
  after: z.string().max(256).nullable(),
  /** News that are done with although they are not answered: post or reply ids. */
  passed: z.array(z.string().max(NAME_MAX_CHARS)),
  /** How often it replied to agents in each thread, and when last. */
  threads: z.record(z.string(), Thread),
  /** What it asked for help with, and when. */
  asked: z.record(z.string(), Tick),
  /** The version of the newest entry of its account that it has looked at; null before the first look. */
  entry: z.int().min(0).nullable(),
  /** The balance at that look. */
  balance: z.string().max(NAME_MAX_CHARS).nullable(),
  /** The plan that it lives by as far as it has told anybody, and when it told that on the board last. */
  plan: Plan.nullable(),
  toldAt: Tick.nullable(),
  advice: Advice.nullable(),
  /** When it told somebody last what it does understand. */
  explainedAt: Tick.nullable().default(null),
});
export type BoardMind = Readonly<z.infer<typeof BoardMind>>;

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

/** The list with one more, the newest last, bounded. */
export function withPassed(passed: readonly string[], id: string): string[] {
  return [...passed.filter((each) => each !== id), id].slice(-BOARD_ENTRIES_MAX);
}

/** A table with one more entry, the newest last, bounded. */
export function withRecent<T>(table: Readonly<Record<string, T>>, key: string, value: T): Record<string, T> {
  const others = Object.entries(table).filter(([name]) => name !== key);
  return Object.fromEntries([...others.slice(1 - BOARD_ENTRIES_MAX), [key, value]]);
}
