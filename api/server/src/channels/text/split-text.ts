const FENCE = /^\s*```/;

/** The last place at or before `limit` where a text may be cut: after a line, after a word, or between two characters. */
function cutAt(text: string, limit: number): number {
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  if (line > limit / 2) return line;
  const word = text.lastIndexOf(' ', limit - 1) + 1;
  if (word > limit / 2) return word;
  const first = text.charCodeAt(limit - 1);
  // A surrogate pair stays together.
  return first >= 0xd8_00 && first <= 0xdb_ff ? limit - 1 : limit;
}

/** True if the text ends within a block of code. */
const endsInCode = (text: string): boolean => text.split('\n').filter((line) => FENCE.test(line)).length % 2 === 1;

const END = '\n```';
const BEGIN = '```\n';

/**
 * Splits a Markdown text into parts of at most `max` UTF-16 units, at lines or words where it can. A block of code that
 * is cut ends in its part and begins again in the next. Pure. @param max at least 64
 */
export function splitText(text: string, max: number): readonly string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > max) {
    const cut = cutAt(rest, max - END.length);
    const part = rest.slice(0, cut).trimEnd();
    const inCode = endsInCode(part);
    parts.push(inCode ? `${part}${END}` : part);
    rest = `${inCode ? BEGIN : ''}${inCode ? rest.slice(cut) : rest.slice(cut).trimStart()}`;
  }
  return rest === '' ? parts : [...parts, rest];
}
