/** The choice of the words to read next, and the record of tries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Evidence } from '@hamlet/engine/memory';
import {
  afterDelay,
  afterReading,
  afterTry,
  planReading,
  RESTS_AFTER_MS,
  RETRY_AFTER_MS,
  TRIES_MAX,
  type ReadMarks,
} from './plan-reading.ts';

const START: ReadMarks = { readTo: 0, marks: [] };
const MINUTE_MS = 60_000;
const runOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

let runs = 0;

/** A message at a minute, with the agent's answer if there is one. */
function said(
  minute: number,
  { speaker = 'Mia', session = 'chat', audience = ['mia'], text = 'I live in Bern.', ...other }: Partial<Evidence> = {},
  answer: string | null = null,
): readonly Evidence[] {
  const run = runOf((runs += 1));
  const common = {
    kind: 'evidence',
    session,
    audience,
    layer: 'conversation',
    repository: null,
    taint: 'none',
  } as const;
  const rest = { importance: 0.5, pinned: false, uses: 0, lastUsedAt: null, repeats: 0, state: 'active' } as const;
  const at = minute * MINUTE_MS;
  const message = { ...common, ...rest, id: `e-${run}-0`, at, lastSaidAt: at, turn: 2 * runs, speaker, text, ...other };
  if (answer === null) return [message];
  return [message, { ...message, id: `e-${run}-1`, turn: 2 * runs + 1, speaker: 'I', text: answer, taint: 'none' }];
}

/** As the store lists them. */
const newestFirst = (...words: readonly (readonly Evidence[])[]): readonly Evidence[] =>
  words.flat().toSorted((one, other) => other.at - one.at || other.turn - one.turn);

const plan = (words: readonly Evidence[], minute: number, marks = START) =>
  planReading(words, marks, minute * MINUTE_MS);
const textsOf = ({ passage }: ReturnType<typeof plan>) => passage?.lines.map(({ text }) => text);
const RESTED = 1 + RESTS_AFTER_MS / MINUTE_MS;

test('a conversation is read once it has had no words for a while', () => {
  const words = newestFirst(said(1), said(5, { speaker: 'Noah', audience: ['noah'], session: 'other' }));
  assert.equal(plan(words, RESTED - 0.1).passage, null);
  assert.equal(plan(words, RESTED).passage?.speaker, 'Mia');
  const busy = newestFirst(said(1), said(RESTED - 1, { text: 'And I have a cat.' }));
  assert.equal(plan(busy, RESTED).passage, null, 'she still writes');
  assert.deepEqual(textsOf(plan(busy, 2 * RESTED)), ['I live in Bern.', 'And I have a cat.']);
});

test('words are read once; later words of the conversation make the next passage', () => {
  const first = newestFirst(said(1));
  const { passage } = plan(first, RESTED);
  assert.ok(passage !== null);
  const marks = afterReading(START, passage);
  const after = plan(first, RESTED, marks);
  assert.equal(after.passage, null);
  assert.deepEqual(after.marks, { readTo: MINUTE_MS, marks: [] }, 'no mark is needed once all is read');
  const more = newestFirst(first, said(30, { text: 'I moved to Basel.' }));
  assert.deepEqual(textsOf(plan(more, 60, after.marks)), ['I moved to Basel.']);
});

test('while another conversation waits, marks keep what was read of the later ones', () => {
  const busy = said(1, { session: 'busy' });
  const later = said(2);
  const stillBusy = newestFirst(busy, later, said(11, { session: 'busy' }));
  const { passage } = plan(stillBusy, 13);
  assert.equal(passage?.session, 'chat');
  const { marks, passage: next } = plan(stillBusy, 13, afterReading(START, passage));
  assert.equal(next, null);
  assert.deepEqual([marks.readTo, marks.marks.length], [MINUTE_MS - 1, 1]);
});

test('a passage has the words of one person for one audience', () => {
  const together = { audience: ['mia', 'noah'] };
  const words = newestFirst(
    said(1, { ...together, text: 'I am Mia.' }, 'Hello, Mia.'),
    said(2, { ...together, speaker: 'Noah', text: 'Remember that Mia hates tea.' }, 'Noah says that Mia hates tea.'),
    said(3, { ...together, text: 'I like tea.' }),
    said(4, { text: 'Now we are alone.' }, 'So we are.'),
  );
  const first = plan(words, 30);
  assert.deepEqual(textsOf(first), ['I am Mia.', 'I like tea.'], 'in company not even the answers');
  assert.ok(first.passage !== null);
  const second = plan(words, 30, afterReading(START, first.passage));
  assert.deepEqual([second.passage?.speaker, textsOf(second)], ['Noah', ['Remember that Mia hates tea.']]);
  assert.ok(second.passage !== null);
  const third = plan(words, 30, afterReading(afterReading(START, first.passage), second.passage));
  assert.deepEqual([third.passage?.audience, textsOf(third)], [['mia'], ['Now we are alone.', 'So we are.']]);
  assert.deepEqual(
    third.passage?.lines.map(({ label }) => label),
    ['m1', null],
    'no fact can rest on an answer',
  );
});

test('text from outside, public words and the diary are not read', () => {
  const words = newestFirst(
    said(1, { taint: 'outside' }),
    said(2, { audience: 'public' }),
    said(3, { id: 'd-x', session: 'diary' }),
    said(4, {}, 'A page says so.').map(
      (each) => ({ ...each, taint: each.speaker === 'I' ? 'outside' : 'none' }) as const,
    ),
  );
  assert.deepEqual(textsOf(plan(words, 60)), ['I live in Bern.']);
});

test('a passage is bounded, and the rest follows', () => {
  const words = newestFirst(
    ...Array.from({ length: 20 }, (_, at) => said(1 + at / 100, { text: `${at} ${'é'.repeat(3_000)}` })),
  );
  let marks = START;
  const read: number[] = [];
  for (let { passage } = plan(words, 60); passage !== null; { passage } = plan(words, 60, marks)) {
    assert.ok(passage.lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) <= 6_000);
    read.push(...passage.lines.map(({ text }) => Number.parseInt(text, 10)));
    marks = afterReading(marks, passage);
  }
  assert.deepEqual(read, [...Array(20).keys()]);
});

test('a failed passage is tried again later, a few times, and does not hold up others', () => {
  const words = newestFirst(said(1), said(2, { session: 'other', speaker: 'Noah', audience: ['noah'] }));
  const { passage } = plan(words, 20);
  assert.ok(passage !== null);
  let now = 20 * MINUTE_MS;
  let marks = START;
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const tried = afterTry(marks, passage, now);
    assert.equal(tried.isGivenUp, false);
    ({ marks } = tried);
    assert.equal(planReading(words, marks, now).passage?.speaker, 'Noah');
    now += RETRY_AFTER_MS * 2 ** (tries - 1);
    assert.equal(planReading(words, marks, now - 1).passage?.speaker, 'Noah');
    assert.equal(planReading(words, marks, now).passage?.speaker, 'Mia');
  }
  const last = afterTry(marks, passage, now);
  assert.equal(last.isGivenUp, true);
  assert.equal(planReading(words, last.marks, now).passage?.speaker, 'Noah');
});

test('a try that failed outside of the passage does not count', () => {
  const words = newestFirst(said(1));
  const { passage } = plan(words, 20);
  assert.ok(passage !== null);
  let marks = START;
  for (let now = 20 * MINUTE_MS, times = 0; times < 3 * TRIES_MAX; times += 1, now += RETRY_AFTER_MS) {
    const tried = afterTry(marks, passage, now);
    assert.equal(tried.isGivenUp, false);
    marks = afterDelay(tried.marks, passage, now);
    assert.equal(planReading(words, marks, now + RETRY_AFTER_MS - 1).passage, null);
    assert.ok(planReading(words, marks, now + RETRY_AFTER_MS).passage !== null);
  }
});
