import { withoutMiddle } from '../effects/tool-outcome.ts';
import { names, type Fact, type Said } from './facts.ts';
import { fitPieces } from './fit-pieces.ts';
import { byBytes, textPiece } from './text-piece.ts';

/** Characters of the parts of a summary. Their sum bounds it, so that summaries of summaries do not grow. */
export type SummaryRoom = Readonly<{ asked: number; text: number; facts: number }>;

const LEAST: SummaryRoom = { asked: 200, text: 1_000, facts: 200 };
const LARGEST: SummaryRoom = { asked: 12_000, text: 8_000, facts: 4_000 };
const SHARE: SummaryRoom = { asked: 0.08, text: 0.2, facts: 0.06 };

/** The room of a summary in a context of this many characters. */
export function summaryRoom(contextChars: number): SummaryRoom {
  const room = (part: keyof SummaryRoom): number =>
    Math.floor(Math.min(LARGEST[part], Math.max(LEAST[part], contextChars * SHARE[part])));
  return { asked: room('asked'), text: room('text'), facts: room('facts') };
}

/** A summary that is shorter than this may be refused. */
const THIN_CHARS = 200;

/** True if a text cannot stand for what was said: it is empty, or shorter than the strings that it must keep. */
export function isTooThin(text: string, facts: readonly Fact[]): boolean {
  const { length } = text.trim();
  return (
    length === 0 ||
    length <
      Math.min(
        THIN_CHARS,
        facts.reduce((sum, { literal }) => sum + literal.length, 0),
      )
  );
}

export type SummaryParts = Readonly<{
  /** People's messages, oldest first. */
  asked: readonly string[];
  text: string;
  facts: readonly Fact[];
}>;

/**
 * The summary as the model reads it: people's messages word for word, the text, and the facts that the text does not name. A very
 * long message loses its middle; the oldest messages and the least important facts are left out if they do not fit. Pure.
 */
export function composeSummary({ asked, text, facts }: SummaryParts, room: SummaryRoom): string {
  const kept = withoutMiddle(text.trim(), room.text);
  return [
    listOf('Messages of people before, word for word:', newest(asked, room.asked)),
    kept,
    listOf('Also from before, word for word:', missing(facts, kept, room.facts)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

/** A text whose later lines are indented, so that none of them looks like another item of a list or another speaker. */
const asItem = (text: string): string => text.replaceAll(LINE_END, '\n  ');

const listOf = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [title, ...lines.map((line) => `- ${line}`)].join('\n');

const inList = (line: string): number => line.length + '\n- '.length;

/** The share of the room of people's messages that one of them may take. */
const LONGEST_SHARE = 0.5;

function newest(asked: readonly string[], maxChars: number): readonly string[] {
  let left = maxChars;
  const kept: string[] = [];
  for (const message of asked.toReversed()) {
    const text = asItem(withoutMiddle(message, Math.floor(maxChars * LONGEST_SHARE)));
    left -= inList(text);
    if (left < 0) break;
    kept.unshift(text);
  }
  return kept;
}

function missing(facts: readonly Fact[], text: string, maxChars: number): readonly string[] {
  let left = maxChars;
  const lines: string[] = [];
  for (const fact of facts) {
    if (names(text, fact) || lines.some((line) => line.includes(fact.literal))) continue;
    if (left < inList(fact.words)) continue;
    left -= inList(fact.words);
    lines.push(fact.words);
  }
  return lines;
}

/**
 * A conversation in at most `maxBytes`: its beginning, its end and as much of the rest as fits, words before results. Each piece
 * names its speaker at the beginning of its first line alone, so that no result can pass for words of a person. Pure.
 */
export function excerptOf(said: readonly Said[], maxBytes: number): string {
  const pieces = said.map(({ by, text }, index) => {
    const place = index === 0 || index >= said.length - KEPT_AT_END ? 'tail' : 'middle';
    return textPiece(`${by}: ${asItem(text)}\n\n`, { place, importance: WEIGHT_IN_EXCERPT[by] }, byBytes(1));
  });
  return fitPieces(pieces, maxBytes)
    .flatMap(({ value }) => value ?? [])
    .join('')
    .trimEnd();
}

const KEPT_AT_END = 2;
const WEIGHT_IN_EXCERPT: Readonly<Record<Said['by'], number>> = { person: 4, model: 3, call: 2, result: 1 };
