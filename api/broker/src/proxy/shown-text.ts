/** Share of a shortened text that shows its end, because a harmful end may follow a long harmless start. */
const END_SHARE = 0.4;

/** Shortens a text to about `max` characters: its start, the number of omitted characters, and its end. */
export function keepEnds(text: string, max: number): string {
  if (text.length <= max) return text;
  const mark = ` …[${text.length - max} characters and more are not shown]… `;
  const end = Math.floor((max - mark.length) * END_SHARE);
  const begin = max - mark.length - end;
  return `${text.slice(0, begin).toWellFormed()}${mark}${text.slice(-end).toWellFormed()}`;
}

/** Escapes invisible characters, which could reorder or hide parts of a text. */
export const visible = (text: string): string =>
  text.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n\r\t]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
