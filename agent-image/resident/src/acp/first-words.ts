import { createHash } from 'node:crypto';
import { withoutMiddle, type SystemPrompt } from '@hamlet/engine';
import type { Skill } from '../skills/skill-folder.ts';

/** Maximum characters of the first message about the agent. */
const PREAMBLE_MAX_CHARS = 120_000;
const SKILL_MAX_CHARS = 20_000;

/**
 * The text that a program reads before the first words of people in a session: who it is, where it works, and its skills. Pure, so that
 * a session reads it again only if it changes.
 */
export function preambleOf({ stable }: SystemPrompt, skills: Iterable<Skill>): string {
  const texts = [...skills].map(
    ({ name, instructions }) =>
      `## Instructions of the skill ${name}\n${withoutMiddle(instructions.trim(), SKILL_MAX_CHARS)}`,
  );
  const text = [stable, ...texts].join('\n\n').trim();
  return text === '' ? '' : withoutMiddle(`<hamlet>\n${text}\n</hamlet>`, PREAMBLE_MAX_CHARS);
}

export const hashOfPreamble = (preamble: string): string => createHash('sha256').update(preamble).digest('hex');

/** The prompt of a run with what the program must know now. `preamble`: empty if the session has read it. Pure. */
export function promptText(
  { situation }: SystemPrompt,
  { preamble, prompt }: Readonly<Record<'preamble' | 'prompt', string>>,
): string {
  const now = situation.trim() === '' ? '' : `<hamlet-now>\n${situation.trim()}\n</hamlet-now>`;
  return [preamble, now, prompt].filter((part) => part !== '').join('\n\n');
}
