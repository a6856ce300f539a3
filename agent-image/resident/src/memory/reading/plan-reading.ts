import type { Evidence, Remembered } from '@hamlet/engine/memory';
import { shorten } from '@hamlet/core/shorten';
import { z } from 'zod';

/** A conversation without new words for this time has rested: 10 min. */
export const RESTS_AFTER_MS = 600_000;
/** After a failure a passage is read again after this time, after another failure after twice as long. */
export const RETRY_AFTER_MS = 600_000;
/** Maximum number of requests for one passage. Without a usable answer its words stay the only memory of it. */
export const TRIES_MAX = 3;
const MARKS_MAX = 200;
const NAME_MAX_CHARS = 200;
const PASSAGE_MAX_BYTES = 6_000;
const LINES_MAX = 24;
const MESSAGE_MAX_CHARS = 2_000;
const ANSWER_MAX_CHARS = 400;

const Mark = z.strictObject({
  session: z.string().max(NAME_MAX_CHARS),
  speaker: z.string().max(NAME_MAX_CHARS),
  /** The words of the speaker up to this turn are read. */
  turn: z.int().min(-1),
  /** Failed requests for the words after it, and when they may be read again, in ms since 1970. */
  tries: z.int().min(0),
  retryAt: z.int().min(0),
});
type Mark = Readonly<z.infer<typeof Mark>>;

/** How far conversations have been read. All words up to `readTo` (ms since 1970) are read; the marks are for later ones. */
export const ReadMarks = z.strictObject({ readTo: z.int().min(0), marks: z.array(Mark).max(MARKS_MAX) });
export type ReadMarks = Readonly<z.infer<typeof ReadMarks>>;

/** After a clock that was ahead, the words of the last hour count as unread. */
const BACK_MS = 3_600_000;

/** The marks, even if the clock was ahead when they were written: words that were said since have earlier times. Pure. */
export const asOf = (marks: ReadMarks, now: number): ReadMarks =>
  marks.readTo <= now ? marks : { ...marks, readTo: Math.max(0, now - BACK_MS) };

/** Words of a passage. Answers of the agent have no label, because no fact rests on them. */
export type Line = Readonly<{ id: string; run: string; label: string | null; text: string; at: number; turn: number }>;

/** Words of one person in a conversation that has rested, for one request. */
export type Passage = Readonly<{
  session: string;
  speaker: string;
  audience: readonly string[];
  repository: string | null;
  lines: readonly Line[];
  /** The last turn of the speaker in the passage. */
  turn: number;
}>;

/**
 * The passage to read next, and the marks that are still needed. `words`: the newest words of the agent's memory,
 * newest first. Each passage has the words of one person for one audience, because a fact must not rest on words of others. Pure.
 */
export function planReading(
  words: readonly Evidence[],
  marks: ReadMarks,
  now: number,
): Readonly<{ passage: Passage | null; marks: ReadMarks }> {
  const unread = words.filter((each) => isMessage(each) && isUnread(each, marks)).toReversed();
  const lastAt = new Map<string, number>();
  for (const { session, at } of words) lastAt.set(session, Math.max(at, lastAt.get(session) ?? 0));
  const first = unread.find(
    (each) => (lastAt.get(each.session) ?? now) <= now - RESTS_AFTER_MS && (markOf(each, marks)?.retryAt ?? 0) <= now,
  );
  const passage = first === undefined ? null : passageFrom(first, unread, words);
  return { passage, marks: withoutOldMarks(marks, { words, unread, now }) };
}

const MESSAGE_ID = /^e-([0-9a-f-]{36})-0$/;
const ANSWER_ID = /^e-([0-9a-f-]{36})-1$/;

/** Words of a person for certain people. Facts are made from these alone, so a page cannot plant one. */
const isMessage = ({ id, audience, taint }: Evidence): boolean =>
  MESSAGE_ID.test(id) && audience !== 'public' && taint === 'none';

type Said = Pick<Evidence, 'session' | 'speaker'>;
const isOf =
  ({ session, speaker }: Said) =>
  (other: Said): boolean =>
    other.session === session && other.speaker === speaker;

const markOf = (words: Said, { marks }: ReadMarks): Mark | undefined => marks.find(isOf(words));

const isUnread = (words: Evidence, marks: ReadMarks): boolean =>
  words.at > marks.readTo && words.turn > (markOf(words, marks)?.turn ?? -1);

type Seen = Readonly<{ words: readonly Evidence[]; unread: readonly Evidence[]; now: number }>;

function withoutOldMarks(marks: ReadMarks, { words, unread, now }: Seen): ReadMarks {
  const [oldest] = unread;
  const read = oldest === undefined ? (words[0]?.at ?? 0) : oldest.at - 1;
  const readTo = Math.max(marks.readTo, Math.min(now, read));
  const later = words.filter(({ at }) => at > readTo);
  return { readTo, marks: marks.marks.filter((mark) => later.some(isOf(mark))) };
}

/** The words of one person from the given ones on, as many as fit. `unread` stands oldest first. */
function passageFrom(first: Evidence, unread: readonly Evidence[], words: readonly Evidence[]): Passage {
  const { session, speaker, repository } = first;
  const audience = first.audience === 'public' ? [] : first.audience;
  const own = unread.filter(isOf(first)).toSorted((one, other) => one.turn - other.turn);
  const end = own.findIndex((each) => !isForSame(each, first));
  const lines: Line[] = [];
  let bytes = 0;
  let turn = first.turn;
  for (const [index, message] of (end === -1 ? own : own.slice(0, end)).entries()) {
    const added = linesOf(message, { label: `m${index + 1}`, words: audience.length === 1 ? words : [] });
    bytes += added.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    if (lines.length > 0 && (bytes > PASSAGE_MAX_BYTES || lines.length + added.length > LINES_MAX)) break;
    lines.push(...added);
    ({ turn } = message);
  }
  return { session, speaker, audience, repository, lines, turn };
}

type Place = Pick<Remembered, 'audience' | 'repository'>;

/** True if two memories are for the same people in the same place. Both come from the store, which sorts audiences. */
export const isForSame = (one: Place, other: Place): boolean =>
  one.repository === other.repository && JSON.stringify(one.audience) === JSON.stringify(other.audience);

/** A message, and the agent's answer to it: in company an answer may repeat words of others, so it is not read there. */
function linesOf(
  message: Evidence,
  { label, words }: Readonly<{ label: string; words: readonly Evidence[] }>,
): readonly Line[] {
  const run = MESSAGE_ID.exec(message.id)?.[1] ?? '';
  const answer = words.find(({ id, taint }) => ANSWER_ID.exec(id)?.[1] === run && taint === 'none');
  return [
    asLine(message, { run, label, most: MESSAGE_MAX_CHARS }),
    ...(answer === undefined ? [] : [asLine(answer, { run, label: null, most: ANSWER_MAX_CHARS })]),
  ];
}

const asLine = (
  { id, text, at, turn }: Evidence,
  { run, label, most }: Readonly<Pick<Line, 'run' | 'label'> & { most: number }>,
): Line => ({ id, run, label, at, turn, text: shorten(text, most) });

type Tried = Pick<Passage, 'session' | 'speaker' | 'turn'>;

/** The marks once a passage is read. Pure. */
export const afterReading = (marks: ReadMarks, { session, speaker, turn }: Tried): ReadMarks =>
  withMark(marks, { session, speaker, turn, tries: 0, retryAt: 0 });

/**
 * The marks as a request for a passage begins: it counts as a failure until it succeeds, so that a process that ends again and again
 * does not repeat it without end. After `TRIES_MAX` failures the passage counts as read. Pure.
 */
export function afterTry(
  marks: ReadMarks,
  passage: Tried,
  now: number,
): Readonly<{ marks: ReadMarks; isGivenUp: boolean }> {
  const { turn, tries } = markOf(passage, marks) ?? NEVER_TRIED;
  if (tries >= TRIES_MAX) return { marks: afterReading(marks, passage), isGivenUp: true };
  const { session, speaker } = passage;
  const mark = { session, speaker, turn, tries: tries + 1, retryAt: now + RETRY_AFTER_MS * 2 ** tries };
  return { marks: withMark(marks, mark), isGivenUp: false };
}

/** The marks after a request that failed outside of the passage, as in a frozen village: its try does not count. Pure. */
export function afterDelay(marks: ReadMarks, passage: Tried, now: number): ReadMarks {
  const { turn, tries } = markOf(passage, marks) ?? NEVER_TRIED;
  const { session, speaker } = passage;
  return withMark(marks, { session, speaker, turn, tries: Math.max(0, tries - 1), retryAt: now + RETRY_AFTER_MS });
}

const NEVER_TRIED = { turn: -1, tries: 0 };

/** The oldest marks give way. */
const withMark = ({ readTo, marks }: ReadMarks, mark: Mark): ReadMarks => ({
  readTo,
  marks: [...marks.filter((each) => !isOf(mark)(each)), mark].slice(-MARKS_MAX),
});
