import { firstChars } from '../../first-chars.ts';

/** A piece of a text: whole lines, or a part of one long line. */
export type Chunk = Readonly<{
  text: string;
  /** First and last line, counted from 1. */
  from: number;
  to: number;
  /** The Markdown headings above it, outermost first; empty in other texts. */
  headings: string;
}>;

const MAX_CHUNK_CHARS = 1_600;
/** A smaller piece takes in the section after it. */
const LEAST_CHUNK_CHARS = 400;
const MAX_HEADINGS_CHARS = 160;

const MARKDOWN = /\.(md|mdx|markdown)$/i;
const PROSE = /\.(txt|rst|adoc|org|tex)$/i;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s{0,3}(```|~~~)/;
/** A line that closes what is above it, so it cannot begin a piece. */
const CLOSING = /^[)\]}]|^(end|else|fi|done|esac)\b/;

/** Where a piece may begin, best first: at a section or a top-level symbol, after an empty line, at any line. */
type Cut = 'section' | 'paragraph' | 'line';
const FINER: Readonly<Record<Cut, Cut | null>> = { section: 'paragraph', paragraph: 'line', line: null };

/** Lines from `from` up to but excluding `to`, counted from 0. */
type Range = Readonly<{ from: number; to: number; chars: number }>;

type Text = Readonly<{ lines: readonly string[]; begins: readonly (Cut | null)[]; headings: readonly string[] }>;

/**
 * Cuts a text into pieces of at most 1,600 characters: Markdown at headings, code where a line without indentation follows an empty
 * one, other texts at empty lines, and at single lines where one of these is too long. Small neighbours are one piece. Pieces do not
 * overlap: a search ranks each with those beside it. Pure.
 */
export function chunksOf(path: string, text: string): readonly Chunk[] {
  const read = readText(path, text);
  const whole = rangeOf(read.lines, 0, read.lines.length);
  return merged(read, cut(read, whole, 'section')).flatMap((range) => chunksIn(read, range));
}

function readText(path: string, text: string): Text {
  const lines = text.split(/\r?\n/);
  if (MARKDOWN.test(path)) return { lines, ...readMarkdown(lines) };
  const isProse = PROSE.test(path);
  const begins = lines.map((line, index): Cut | null => {
    if (index === 0 || !isEmpty(lines[index - 1]) || isEmpty(line)) return null;
    return !isProse && /^\S/.test(line) && !CLOSING.test(line) ? 'section' : 'paragraph';
  });
  return { lines, begins, headings: [] };
}

const isEmpty = (line: string | undefined): boolean => (line ?? '').trim() === '';

function readMarkdown(lines: readonly string[]): Omit<Text, 'lines'> {
  const above: string[] = [];
  let isFenced = false;
  const read = lines.map((line, index): { begins: Cut | null; headings: string } => {
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : HEADING.exec(line);
    const begins = !isFenced && index > 0 && isEmpty(lines[index - 1]) ? 'paragraph' : null;
    if (heading === null) return { begins, headings: joined(above) };
    const level = heading[1]?.length ?? 1;
    const headings = joined(above.slice(0, level - 1));
    above.splice(level - 1, above.length, heading[2] ?? '');
    return { begins: 'section', headings };
  });
  return { begins: read.map(({ begins }) => begins), headings: read.map(({ headings }) => headings) };
}

const joined = (headings: readonly string[]): string =>
  firstChars(headings.filter(Boolean).join(' › '), MAX_HEADINGS_CHARS);

function rangeOf(lines: readonly string[], from: number, to: number): Range {
  let chars = 0;
  for (let line = from; line < to; line += 1) chars += (lines[line]?.length ?? 0) + 1;
  return { from, to, chars };
}

/** Ranges that fit, cut at the best places. A single line stays one range. */
function cut(text: Text, range: Range, at: Cut): readonly Range[] {
  if (range.chars <= MAX_CHUNK_CHARS || range.to - range.from === 1) return [range];
  const finer = FINER[at];
  if (finer === null) return cutLines(text.lines, range);
  const begins: number[] = [];
  for (let line = range.from + 1; line < range.to; line += 1)
    if (text.begins[line] === 'section' || (at === 'paragraph' && text.begins[line] === 'paragraph')) begins.push(line);
  const ends = [...begins, range.to];
  return [range.from, ...begins].flatMap((from, index) =>
    cut(text, rangeOf(text.lines, from, ends[index] ?? range.to), finer),
  );
}

/** As many lines in each range as fit. */
function cutLines(lines: readonly string[], { from, to }: Range): readonly Range[] {
  const ranges: Range[] = [];
  let open: Range = { from, to: from, chars: 0 };
  for (let line = from; line < to; line += 1) {
    const chars = (lines[line]?.length ?? 0) + 1;
    if (open.chars + chars > MAX_CHUNK_CHARS && open.to > open.from) {
      ranges.push(open);
      open = { from: line, to: line, chars: 0 };
    }
    open = { from: open.from, to: line + 1, chars: open.chars + chars };
  }
  return [...ranges, open];
}

/** Joins neighbours that fit together. A section begins a piece of its own, unless the previous one is small. */
function merged({ begins }: Text, ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    const fits = last !== undefined && last.chars + range.chars <= MAX_CHUNK_CHARS;
    if (fits && (begins[range.from] !== 'section' || last.chars < LEAST_CHUNK_CHARS))
      result[result.length - 1] = { from: last.from, to: range.to, chars: last.chars + range.chars };
    else result.push(range);
  }
  return result;
}

/** The pieces of a range, without empty lines at its ends. */
function chunksIn({ lines, headings }: Text, range: Range): readonly Chunk[] {
  let { from, to } = range;
  while (from < to && isEmpty(lines[from])) from += 1;
  while (to > from && isEmpty(lines[to - 1])) to -= 1;
  if (from === to) return [];
  const text = lines.slice(from, to).join('\n');
  const place = { from: from + 1, to, headings: headings[from] ?? '' };
  return partsOf(text).map((part) => ({ ...place, text: part }));
}

/** A text in parts of at most the length of a piece. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== '';) {
    const part = firstChars(rest, MAX_CHUNK_CHARS);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
}
