import { Fault } from './fault.ts';

/** A place where a document may begin, and where its surroundings end at the latest. */
export type Place = Readonly<{ start: number; end: number }>;

const THOUGHT_TAG = /<(\/?)(think|thinking|thought|reasoning|scratchpad)>/gi;
const DOCUMENT = /^[\s\uFEFF\u200B]*[{["'“]/;

/** The text without the thoughts of the model before its answer. Throws a fault if only thoughts are left. */
export function withoutThoughts(text: string): string {
  if (DOCUMENT.test(text) || !text.includes('>')) return text;
  const tags = [...text.matchAll(THOUGHT_TAG)];
  const firstOpen = tags.findIndex(isOpening);
  // Some servers keep the beginning of a thought to themselves.
  const lost = tags.slice(0, firstOpen < 0 ? tags.length : firstOpen).at(-1);
  return outsideThoughts(text, firstOpen < 0 ? [] : tags.slice(firstOpen), lost === undefined ? 0 : endOf(lost));
}

function outsideThoughts(text: string, tags: readonly RegExpExecArray[], start: number): string {
  let [left, from]: [string, number] = ['', start];
  let open: RegExpExecArray | null = null;
  for (const tag of tags) {
    if (open === null && isOpening(tag)) {
      left += text.slice(from, tag.index);
      open = tag;
    } else if (open !== null && !isOpening(tag) && nameOf(open) === nameOf(tag)) {
      from = endOf(tag);
      open = null;
    }
  }
  if (open === null) return left + text.slice(from);
  if (!/[{[]/.test(left)) throw new Fault('the text ends within a thought', text, open.index);
  return left;
}

const isOpening = (tag: RegExpExecArray): boolean => tag[1] === '';
const endOf = (tag: RegExpExecArray): number => tag.index + tag[0].length;
const nameOf = (tag: RegExpExecArray): string | undefined => tag[2]?.toLowerCase();

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  '#39': "'",
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
};
const ENTITY = /&(quot|#34|#39|apos|lt|gt|amp);/g;

/** The text without the entities of HTML, if they stand for all its quotes. */
export const withoutEntities = (text: string): string =>
  /&(?:quot|#34);/.test(text) && !text.includes('"')
    ? text.replaceAll(ENTITY, (entity, name: string) => ENTITIES[name] ?? entity)
    : text;

const FENCE = /(?:^|\n)[ \t]*(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\r?\n?/g;

/** Documents in fences: reading one costs up to the whole text, so their number is limited. */
const FENCED_MAX = 64;

/** The places within fences that begin like a document. Throws a fault if there are more than 64. */
export function fencedPlaces(text: string): readonly Place[] {
  const places: Place[] = [];
  FENCE.lastIndex = 0;
  for (let fence = FENCE.exec(text); fence !== null; fence = FENCE.exec(text)) {
    const start = FENCE.lastIndex + (/^\s*/.exec(text.slice(FENCE.lastIndex, FENCE.lastIndex + 100))?.[0].length ?? 0);
    if (!/[{["'“]/.test(text[start] ?? '')) continue;
    if (places.length === FENCED_MAX) throw new Fault('there are too many JSON documents', text, start);
    const mark = `\n${fence[1]}`;
    const close = text.lastIndexOf(mark);
    places.push({ start, end: close > start ? close : text.length });
    const next = text.indexOf(mark, start);
    if (next < 0) break;
    FENCE.lastIndex = next + mark.length;
  }
  return places;
}

const PROSE_BRACKET = /[{[][^"'“{}[\]\n:]{0,200}[}\]]|\{\{[^"{}\n]{0,200}\}\}/y;

/** The end of words in brackets, such as `[the answer]` or `{name}`; null if the bracket may begin a document. */
export function proseEnd(text: string, start: number): number | null {
  PROSE_BRACKET.lastIndex = start;
  const found = PROSE_BRACKET.exec(text)?.[0];
  return found === undefined || !/[A-Za-z]/.test(found) ? null : start + found.length;
}

const ESCAPED = /[{[](?:[\s{[]|\\[nrt])*\\"/y;
const CONTROLS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** True if the document at the place was escaped as a whole: `{\"a\": 1}`. */
export function isEscapedAt(text: string, start: number): boolean {
  ESCAPED.lastIndex = start;
  return ESCAPED.test(text);
}

/** The document that was escaped as a whole, without these escapes. Throws a fault. */
export function unescapedDocument(text: string): string {
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  const whole = text.slice(0, end);
  try {
    return JSON.parse(`"${whole.replaceAll(/[\n\r\t]/g, (char) => CONTROLS[char] ?? char)}"`) as string;
  } catch {
    throw new Fault('only a part of the document is escaped', text, 0);
  }
}
