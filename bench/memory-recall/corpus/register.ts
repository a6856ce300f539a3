import type { Dice } from './dice.ts';
import { SHORT_FORMS } from './phrases.ts';

export type Register = 'plain' | 'careless' | 'short';

const TYPOS_PERCENT: Readonly<Record<Register, number>> = { plain: 4, careless: 35, short: 25 };
const SHORTEST_MISSPELT = 5;

/** Swaps, drops or doubles a letter in the middle of one word. */
function misspell(text: string, dice: Dice): string {
  const words = text.split(' ');
  const long = words.flatMap((word, at) => (word.length >= SHORTEST_MISSPELT && /^[a-z’]+$/i.test(word) ? [at] : []));
  if (long.length === 0) return text;
  const at = dice.pick(long);
  const word = words[at] ?? '';
  const from = 1 + dice.below(word.length - 3);
  const [a = '', b = ''] = [word[from], word[from + 1]];
  const middle = [`${b}${a}`, b, `${a}${a}${b}`][dice.below(3)] ?? '';
  return words.with(at, `${word.slice(0, from)}${middle}${word.slice(from + 2)}`).join(' ');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const sentences = (parts: readonly string[]): string =>
  parts.map((part) => (/[.!?]$/.test(part) ? capital(part) : `${capital(part)}.`)).join(' ');

/** Words of one turn as the register writes them: whole sentences, lower case with slips, or the shortest form. */
export function inRegister(parts: readonly string[], register: Register, dice: Dice): string {
  let text = register === 'plain' ? sentences(parts) : parts.join(register === 'short' ? ' ' : ', ').toLowerCase();
  if (register === 'short') for (const [long, short] of SHORT_FORMS) text = text.replaceAll(long, short);
  if (dice.chance(TYPOS_PERCENT[register])) text = misspell(text, dice);
  return text;
}
