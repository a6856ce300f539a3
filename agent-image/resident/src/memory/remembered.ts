import type { Remembered } from '@hamlet/engine/memory';
import { inOneLine } from '@hamlet/core/shorten';
import { isLearned } from './reading/facts-read.ts';

/** The session of entries about what the agent did. */
export const DIARY_SESSION = 'diary';
/** The name under which the agent keeps its own words. */
export const OWN_NAME = 'I';
/** The subject of a fact that was remembered without one. */
export const NO_SUBJECT = 'note';

/** False for a fact that has ended. `now`: milliseconds since 1970. Pure. */
export const isInForce = (each: Remembered, now: number): boolean =>
  each.kind === 'evidence' || each.validTo === null || each.validTo > now;

/**
 * A memory as one line of a prompt: words with their day and speaker, and whose words a fact was made from. A text of several lines
 * becomes one, so that it cannot look like words of another person. Pure.
 */
export const lineOf = (memory: Remembered): string => `- ${inOneLine(`${originOf(memory)}${memory.text}`)}`;

function originOf(memory: Remembered): string {
  if (memory.kind === 'fact' && isLearned(memory)) return `as ${memory.subject} said: `;
  if (memory.kind === 'fact') return memory.subject === NO_SUBJECT ? '' : `about ${memory.subject}: `;
  return `${new Date(memory.at).toISOString().slice(0, 10)}, ${memory.speaker}: `;
}
