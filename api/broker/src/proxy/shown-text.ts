/** Share of a cut text that shows its end: what follows a long harmless beginning is what a person must see. */
const END_SHARE = 0.4;

/** A text of at most `max` characters that shows beginning and end of a longer one, and how much is missing. */
export function keepEnds(text: string, max: number): string {
  if (text.length <= max) return text;
  const mark = ` …[${text.length - max} characters and more are not shown]… `;
  const end = Math.floor((max - mark.length) * END_SHARE);
  const begin = max - mark.length - end;
  return `${text.slice(0, begin).toWellFormed()}${mark}${text.slice(-end).toWellFormed()}`;
}

/** A text with its invisible characters written as escapes: they could reorder or hide what a person reads. */
export const visible = (text: string): string =>
  text.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n\r\t]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
