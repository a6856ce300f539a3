import { shorten } from '@hamlet/core/shorten';

/** `first`: the line where the match begins, counted from 1. `text`: these lines of the file, with their numbers. */
export interface NearMatch {
  readonly kind: 'spaces' | 'similar';
  readonly first: number;
  readonly text: string;
}

const COMPARED_LINES_MAX = 6;
const COMPARED_CHARS_MAX = 200;
const SHOWN_LINES_MAX = 12;
const SHOWN_LINE_CHARS_MAX = 300;
/** Lines below this share of common pairs of characters are different. */
const SIMILAR = 0.55;

/** Where a text that is not in a file probably stands; null if no line is similar. Pure. */
export function nearestMatch(file: string, wanted: string): NearMatch | null {
  const lines = file.split(/\r?\n/);
  const sought = wanted.split(/\r?\n/);
  while (sought.length > 1 && sought.at(-1)?.trim() === '') sought.pop();
  while (sought.length > 1 && sought[0]?.trim() === '') sought.shift();
  const alike = loosely(lines, sought);
  const found = alike ?? similarly(lines, sought);
  if (found === null) return null;
  const shown = lines.slice(found, found + Math.min(sought.length, SHOWN_LINES_MAX));
  return {
    kind: alike === null ? 'similar' : 'spaces',
    first: found + 1,
    text: shown.map((line, index) => numbered(found + index + 1, shorten(line, SHOWN_LINE_CHARS_MAX))).join('\n'),
  };
}

/** A line of a file as tools show it: its number, a tab and its text. */
export const numbered = (line: number, text: string): string => `${line}\t${text}`;

/** The text without differences that are hard to see: kinds and amount of white space, typographic quotes and dashes. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u201C\u201D]/g, '"')
    .replaceAll(/[\u2010-\u2015]/g, '-')
    .replaceAll(/\s+/g, '');

function loosely(lines: readonly string[], sought: readonly string[]): number | null {
  const wanted = sought.map(plain);
  if (wanted.every((line) => line === '')) return null;
  const present = lines.map(plain);
  const [first = ''] = wanted;
  const isAt = (at: number): boolean =>
    (wanted.length === 1 ? (present[at] ?? '').includes(first) : (present[at] ?? '').endsWith(first)) &&
    wanted.slice(1, -1).every((line, index) => present[at + index + 1] === line) &&
    (wanted.length === 1 || (present[at + wanted.length - 1] ?? '').startsWith(wanted.at(-1) ?? ''));
  const at = present.findIndex((_, index) => isAt(index));
  return at < 0 ? null : at;
}

/** The longest lines of the text vote for the place where it may begin. */
function similarly(lines: readonly string[], sought: readonly string[]): number | null {
  const votes = new Map<number, number>();
  const chosen = sought
    .map((line, offset) => ({ line: line.trim().slice(0, COMPARED_CHARS_MAX), offset }))
    .filter(({ line }) => line.length > 2)
    .toSorted((one, other) => other.line.length - one.line.length)
    .slice(0, COMPARED_LINES_MAX);
  for (const { line: wanted, offset } of chosen) {
    const pairs = pairsOf(wanted);
    for (const [at, line] of lines.entries()) {
      const share = likeness(pairs, wanted.length - 1, line.trim().slice(0, COMPARED_CHARS_MAX));
      const start = Math.max(0, at - offset);
      if (share >= SIMILAR) votes.set(start, (votes.get(start) ?? 0) + share * wanted.length);
    }
  }
  let [best, most]: [number | null, number] = [null, 0];
  for (const [start, weight] of votes) if (weight > most) [best, most] = [start, weight];
  return best;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The share of common pairs of characters of two lines, from 0 to 1 (Dice). */
function likeness(pairs: ReadonlyMap<string, number>, count: number, line: string): number {
  const total = count + line.length - 1;
  // Lines of very different lengths cannot be similar enough.
  if (line.length < 2 || (2 * Math.min(count, line.length - 1)) / total < SIMILAR) return 0;
  const left = new Map(pairs);
  let common = 0;
  for (let at = 0; at + 1 < line.length; at += 1) {
    const pair = line.slice(at, at + 2);
    const rest = left.get(pair) ?? 0;
    if (rest === 0) continue;
    left.set(pair, rest - 1);
    common += 1;
  }
  return (2 * common) / total;
}
