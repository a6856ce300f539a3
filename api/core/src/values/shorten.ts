/**
 * A text of at most `maxChars` UTF-16 units: a longer one ends with an ellipsis in place of the rest. It never ends with half of
 * a surrogate pair. Pure.
 */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A text without line breaks, so that it cannot look like further lines of a list or a prompt. Pure. */
export const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
