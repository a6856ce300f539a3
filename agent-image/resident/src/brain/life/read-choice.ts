import { z } from 'zod';
import { shortened } from '../words.ts';
import { PLAN_MAX, type Chosen } from './life-mind.ts';
import type { Option } from './options.ts';

const WORDS_MAX_CHARS = 300;
const TEXT_MAX_CHARS = 2_000;

const Text = z.string().max(TEXT_MAX_CHARS);

const Answer = z.object({
  option: z.string(),
  text: Text.nullable().default(null),
  title: Text.nullable().default(null),
  why: Text,
  purpose: Text.default(''),
  plan: z
    .array(z.object({ at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/), goal: z.string().max(TEXT_MAX_CHARS) }))
    .max(4 * PLAN_MAX)
    .nullable()
    .default(null)
    .catch(null),
});

/** The choice in a model's answer; null if the answer is not one of the options, or lacks a text that the option needs. */
export function readChoice(content: string, options: readonly Option[]): Chosen | null {
  const answer = Answer.safeParse(jsonIn(content));
  if (!answer.success) return null;
  const { option, text, title, why, purpose, plan } = answer.data;
  const offered = options.find(({ id }) => id === option);
  if (offered === undefined || isBlank(why) || lacksText(offered, { text, title })) return null;
  const goals = plan?.slice(0, PLAN_MAX).map(({ at, goal }) => {
    return { fromMinute: minuteOf(at), goal: shortened(goal, WORDS_MAX_CHARS) };
  });
  return {
    option,
    text,
    title,
    why: shortened(why, WORDS_MAX_CHARS),
    purpose: shortened(purpose, WORDS_MAX_CHARS),
    plan: goals ?? null,
  };
}

function lacksText({ needs }: Option, { text, title }: Pick<Chosen, 'text' | 'title'>): boolean {
  return needs !== 'nothing' && (isBlank(text) || (needs === 'title and text' && isBlank(title)));
}

const isBlank = (text: string | null): boolean => text === null || text.trim() === '';

function minuteOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return 60 * hours + minutes;
}

/** The JSON object in a text. Some models wrap it in a code block although a schema forbids that. */
export function jsonIn(content: string): unknown {
  const [from, to] = [content.indexOf('{'), content.lastIndexOf('}')];
  try {
    return JSON.parse(content.slice(from, to + 1));
  } catch {
    return null;
  }
}
