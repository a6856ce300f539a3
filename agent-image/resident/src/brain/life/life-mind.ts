import { z } from 'zod';
import { SPEECH_MAX_LENGTH } from '@hamlet/contract/resident';
import { clockInWords, quoted, shortened } from '../words.ts';

const Tick = z.int().min(0);
const Words = z.string().max(300);
const AgentId = z.string().max(64);
/** Maximum number of acts, lessons and pieces of news that the agent considers in its next decision. */
export const RECENT_MAX = 8;
export const PLAN_MAX = 6;
/** Divisor of the tier's hourly tokens: this share is for decisions, conversations of agents and facts. */
export const SHARE_OF_TOKENS = 4;
/** Tokens an hour for decisions and conversations in any tier: the others are for work. */
const LIFE_TOKENS_MAX = 50_000;

/** Tokens an hour that decisions and conversations may use. Pure. */
const lifeTokens = (tokensPerHour: number): number => Math.min(LIFE_TOKENS_MAX, tokensPerHour / SHARE_OF_TOKENS);
export const TALK_LINES_MAX = 8;
export const TALKS_MAX = 4;
/** Maximum number of agents whose daily lines are counted. At this number the agent begins no other conversation. */
export const PARTNERS_MAX = 32;

/** An action that the agent chose: the id of the option, the reason, and the purpose that groups actions. */
const Act = z.strictObject({ tick: Tick, option: z.string().max(120), why: Words, purpose: Words });

const Line = z.strictObject({ by: z.enum(['me', 'them']), text: z.string().max(SPEECH_MAX_LENGTH) });

/** A conversation with another agent, with both agents' words. `over`: the agent says nothing more in it. */
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
  yesterday: z.array(Words).max(2).default([]),
  /** The situation of the last decision, as `situationKey` gives it. */
  decidedOn: z.string().max(600),
  decidedAt: Tick.nullable(),
  intent: Act.extend({ untilTick: Tick }).nullable(),
  recent: z.array(Act).max(RECENT_MAX),
  lessons: z.array(z.strictObject({ version: z.int().min(0), text: Words })).max(RECENT_MAX),
  news: z
    .array(z.strictObject({ id: z.string().max(64), from: z.enum(['board', 'nearby']), text: Words }))
    .max(RECENT_MAX)
    .default([]),
  askedAt: Tick.nullable().default(null),
  talks: z.array(Talk).max(TALKS_MAX).default([]),
  talked: z.record(AgentId, z.int().min(0)).default({}),
  /** Tokens that decisions have used since a tick. A new hour begins with the first decision after the previous hour. */
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

/** A model's answer: what to do (`kind: 'choice'`), what to say to an agent (`kind: 'line'`), or facts, which are kept already. */
export type Thought = {
  readonly askedAt: number;
  readonly tokens: number;
  readonly model: string;
} & (
  | {
      readonly kind: 'choice';
      readonly of: string;
      /** Null if the model failed or chose an option that was not offered. */
      readonly chosen: Chosen | null;
    }
  | {
      readonly kind: 'line';
      readonly to: string;
      /** Null if the model failed; the conversation then ends. */
      readonly line: NextLine | null;
    }
  | { readonly kind: 'facts' }
);

export interface Chosen {
  readonly option: string;
  readonly text: string | null;
  readonly title: string | null;
  readonly why: string;
  readonly purpose: string;
  /** A new plan for the day; null keeps the previous one. */
  readonly plan: LifeMind['plan'] | null;
}

export interface NextLine {
  /** Null if the agent has nothing to say; the conversation then ends. */
  readonly text: string | null;
  readonly over: boolean;
  readonly why: string;
}

const TICKS_PER_HOUR = 36_000;

/** The tokens used in the current hour: zero once an hour has passed since the first decision. Pure. */
export function spentNow({ spent }: LifeMind, tick: number): LifeMind['spent'] {
  return tick - spent.sinceTick >= TICKS_PER_HOUR ? { sinceTick: tick, tokens: 0 } : spent;
}

/** The tokens that decisions and conversations may still use in the current hour. Pure. */
export const tokensLeft = (life: LifeMind, tick: number, tokensPerHour: number): number =>
  lifeTokens(tokensPerHour) - spentNow(life, tick).tokens;

const WORDS_MAX_CHARS = 300;
const PURPOSE_CHARS = 60;

export function planInWords(plan: LifeMind['plan']): string {
  return plan.map(({ fromMinute, goal }) => `${clockInWords(fromMinute)} ${goal}`).join('; ');
}

/** The state on a given day. A new day starts without plan and lines, but with a memory of the previous day. Pure. */
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
