/** The first characters of a text, at most `limit` UTF-16 units; a cut never divides a character. Pure. */
export const firstChars = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
