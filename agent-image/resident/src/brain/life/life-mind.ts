import { z } from 'zod';
import { SPEECH_MAX_LENGTH } from '@hamlet/contract/resident';
import { clockInWords, quoted, shortened } from '../words.ts';

const Tick = z.int().min(0);
const Words = z.string().max(300);
const AgentId = z.string().max(64);
/** Maximum number of acts, of lessons and of pieces of news that the agent takes into its next decision. */
export const RECENT_MAX = 8;
export const PLAN_MAX = 6;
/** One part in this many of the tier's tokens an hour is for decisions and conversations. */
export const SHARE_OF_TOKENS = 4;
export const TALK_LINES_MAX = 8;
export const TALKS_MAX = 4;
/** Maximum number of agents whose lines of the day are counted; with more, the agent begins no conversation. */
export const PARTNERS_MAX = 32;

/** An act of the agent's own choice: the id of the option, the reason, and the purpose that groups acts. */
const Act = z.strictObject({ tick: Tick, option: z.string().max(120), why: Words, purpose: Words });

const Line = z.strictObject({ by: z.enum(['me', 'them']), text: z.string().max(SPEECH_MAX_LENGTH) });

/** A conversation with another agent: only words that either said to the other. `over`: the agent says no more in it. */
const Talk = z.strictObject({
  with: AgentId,
  name: z.string().max(120),
  lines: z.array(Line).max(TALK_LINES_MAX),
  tick: Tick,
  over: z.boolean(),
});
export type Talk = Readonly<z.infer<typeof Talk>>;

/** The state of decisions by a model, stored in memory under the name `life`. */
export const LifeMind = z.strictObject({
  day: z.int().min(0),
  plan: z.array(z.strictObject({ fromMinute: z.int().min(0).max(1_439), goal: Words })).max(PLAN_MAX),
  /** The plan and the acts of the day of the plan before, as sentences. */
  yesterday: z.array(Words).max(2).default([]),
  /** The situation of the last decision, as `situationKey` gives it. */
  decidedOn: z.string().max(600),
  decidedAt: Tick.nullable(),
  /** The choice to which the agent keeps until this tick; null while only the rules lead it. */
  intent: Act.extend({ untilTick: Tick }).nullable(),
  recent: z.array(Act).max(RECENT_MAX),
  lessons: z.array(z.strictObject({ version: z.int().min(0), text: Words })).max(RECENT_MAX),
  news: z
    .array(z.strictObject({ id: z.string().max(64), from: z.enum(['board', 'nearby']), text: Words }))
    .max(RECENT_MAX)
    .default([]),
  /** Tick of the last question that the agent posted by its own decision. */
  askedAt: Tick.nullable().default(null),
  /** Conversations, the one with the newest line last. */
  talks: z.array(Talk).max(TALKS_MAX).default([]),
  /** The agent's own lines of the day by agent. */
  talked: z.record(AgentId, z.int().min(0)).default({}),
  /** Tokens of the decisions since a tick; a new hour begins with the first decision after the hour before. */
  spent: z.strictObject({ sinceTick: Tick, tokens: z.int().min(0) }),
});
export type LifeMind = Readonly<z.infer<typeof LifeMind>>;

export const NEW_TO_LIFE: LifeMind = {
  day: 0,
  plan: [],
  yesterday: [],
  decidedOn: '',
  decidedAt: null,
  intent: null,
  recent: [],
  lessons: [],
  news: [],
  askedAt: null,
  talks: [],
  talked: {},
  spent: { sinceTick: 0, tokens: 0 },
};

/** An answer of a model: to the question of what to do (`kind: 'choice'`), or of what to say to an agent (`kind: 'line'`). */
export type Thought = {
  readonly askedAt: number;
  readonly tokens: number;
  readonly model: string;
} & (
  | {
      readonly kind: 'choice';
      readonly of: string;
      /** Null when the model failed or chose nothing that was offered. */
      readonly chosen: Chosen | null;
    }
  | {
      readonly kind: 'line';
      /** Id of the agent to which the line goes. */
      readonly to: string;
      /** Null when the model failed; then the conversation is over. */
      readonly line: NextLine | null;
    }
);

export interface Chosen {
  readonly option: string;
  /** Words to speak, or the body of a post. */
  readonly text: string | null;
  readonly title: string | null;
  readonly why: string;
  readonly purpose: string;
  /** A new plan for the day; null keeps the old one. */
  readonly plan: LifeMind['plan'] | null;
}

export interface NextLine {
  /** Null when the agent has nothing to say; then the conversation is over. */
  readonly text: string | null;
  readonly over: boolean;
  readonly why: string;
}

const TICKS_PER_HOUR = 36_000;

/** The tokens of the present hour: none once an hour has passed since the first decision. Pure. */
export function spentNow({ spent }: LifeMind, tick: number): LifeMind['spent'] {
  return tick - spent.sinceTick >= TICKS_PER_HOUR ? { sinceTick: tick, tokens: 0 } : spent;
}

const WORDS_MAX_CHARS = 300;
const PURPOSE_CHARS = 60;

export function planInWords(plan: LifeMind['plan']): string {
  return plan.map(({ fromMinute, goal }) => `${clockInWords(fromMinute)} ${goal}`).join('; ');
}

/**
 * The state on a given day. A new day begins without a plan and without lines of conversations, and with a memory of
 * the day before. Pure.
 */
export function lifeOnDay(life: LifeMind, day: number): LifeMind {
  if (life.day === day) return life;
  const isUntouched = life.plan.length === 0 && life.recent.length === 0 && Object.keys(life.talked).length === 0;
  if (isUntouched) return life;
  return { ...life, day, plan: [], talked: {}, yesterday: memoryOf(life) };
}

function memoryOf({ plan, recent }: LifeMind): LifeMind['yesterday'] {
  const purposes = new Set(recent.map(({ purpose, why }) => shortened(purpose || why, PURPOSE_CHARS)));
  return [
    ...(plan.length === 0 ? [] : [`Yesterday you planned: ${planInWords(plan)}.`]),
    ...(purposes.size === 0
      ? []
      : [`Yesterday you did things for: ${[...purposes].map((one) => quoted(one)).join(', ')}.`]),
  ].map((text) => shortened(text, WORDS_MAX_CHARS));
}
