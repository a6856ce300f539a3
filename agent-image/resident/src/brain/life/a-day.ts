import { clockInWords, quoted, shortened } from '../words.ts';
import type { LifeMind } from './life-mind.ts';

const WORDS_MAX_CHARS = 300;
const PURPOSE_CHARS = 60;

/** A plan for a day in words: “09:00 read about engines; 12:30 eat”. */
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
