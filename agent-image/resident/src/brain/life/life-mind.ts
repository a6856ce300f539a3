import { z } from 'zod';

const Tick = z.int().min(0);
const Words = z.string().max(300);
/** Maximum number of acts and of lessons that the agent takes into its next decision. */
export const RECENT_MAX = 8;
export const PLAN_MAX = 6;

/** An act of the agent's own choice: the id of the option, the reason, and the purpose that groups acts. */
const Act = z.strictObject({ tick: Tick, option: z.string().max(120), why: Words, purpose: Words });

/** The state of decisions by a model, stored in memory under the name `life`. */
export const LifeMind = z.strictObject({
  /** Village day of the plan. */
  day: z.int().min(0),
  plan: z.array(z.strictObject({ fromMinute: z.int().min(0).max(1_439), goal: Words })).max(PLAN_MAX),
  /** The situation of the last decision, as `situationKey` gives it. */
  decidedOn: z.string().max(600),
  decidedAt: Tick.nullable(),
  /** The choice to which the agent keeps until this tick; null while only the rules lead it. */
  intent: Act.extend({ untilTick: Tick }).nullable(),
  recent: z.array(Act).max(RECENT_MAX),
  /** Rewards and penalties with their reasons, newest last. */
  lessons: z.array(z.strictObject({ version: z.int().min(0), text: Words })).max(RECENT_MAX),
  /** Tokens of the decisions since a tick; a new hour begins with the first decision after the hour before. */
  spent: z.strictObject({ sinceTick: Tick, tokens: z.int().min(0) }),
});
export type LifeMind = Readonly<z.infer<typeof LifeMind>>;

export const NEW_TO_LIFE: LifeMind = {
  day: 0,
  plan: [],
  decidedOn: '',
  decidedAt: null,
  intent: null,
  recent: [],
  lessons: [],
  spent: { sinceTick: 0, tokens: 0 },
};

/** A decision that a model has made; `chosen` is null when the model failed or chose nothing that was offered. */
export interface Thought {
  /** The situation of the request, as `situationKey` gives it. */
  readonly of: string;
  readonly askedAt: number;
  readonly tokens: number;
  readonly model: string;
  readonly chosen: Chosen | null;
}

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

const TICKS_PER_HOUR = 36_000;

/** The tokens of the present hour: none once an hour has passed since the first decision. Pure. */
export function spentNow({ spent }: LifeMind, tick: number): LifeMind['spent'] {
  return tick - spent.sinceTick >= TICKS_PER_HOUR ? { sinceTick: tick, tokens: 0 } : spent;
}

/** The state after a thought has arrived, whether or not the agent follows it. Pure. */
export function withThought(life: LifeMind, thought: Thought, { tick, day }: { tick: number; day: number }): LifeMind {
  const spent = spentNow(life, tick);
  const { chosen, of, tokens } = thought;
  const plan = chosen?.plan ?? (life.day === day ? life.plan : []);
  return {
    ...life,
    day,
    plan,
    decidedOn: of,
    decidedAt: tick,
    spent: { ...spent, tokens: spent.tokens + tokens },
  };
}
