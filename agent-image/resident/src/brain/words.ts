const QUOTED_CHARS = 160;

/** A text on one line, cut to a number of characters with an ellipsis where it was longer. Pure. */
export function shortened(text: string, maxChars: number): string {
  const characters = [...text.replaceAll(/\s+/gu, ' ').trim()];
  return characters.length <= maxChars ? characters.join('') : `${characters.slice(0, maxChars - 1).join('')}…`;
}

/** The beginning of a text in quotation marks; quotation marks inside become single ones. Pure. */
export function quoted(text: string, maxChars = QUOTED_CHARS): string {
  return `“${shortened(text, maxChars).replaceAll(/[“”"]/gu, "'")}”`;
}

/** Words as one phrase: `a`, `a and b`, `a, b and c`; of more than `max`, how many are left out. Pure. */
export function listed(words: readonly string[], max = 5): string {
  if (words.length > max) return `${words.slice(0, max).join(', ')} and ${words.length - max} more`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** A text with a capital at its beginning and a stop at its end. Pure. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const whole = `${trimmed.charAt(0).toLocaleUpperCase('en')}${trimmed.slice(1)}`;
  return /[.!?…][”'’)]*$/u.test(whole) ? whole : `${whole}.`;
}
