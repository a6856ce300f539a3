import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceFaults } from '@hamlet/test/env/sentence-faults';
import { diaryEntry, Stay, stayAfter, EVENTS_MAX, type StayTurn } from './stay.ts';

const turn = (minute: number, changes: Partial<StayTurn> = {}): StayTurn => ({
  turnId: `t${minute}`,
  clock: { day: 0, minute },
  place: 'cafe',
  name: 'Café Hearth',
  event: null,
  ...changes,
});

function lived(...turns: readonly StayTurn[]): { readonly stay: Stay; readonly entries: readonly string[] } {
  let stay: Stay | null = null;
  const entries: string[] = [];
  for (const each of turns) {
    const after = stayAfter(stay, each);
    if (after.ended !== null) entries.push(diaryEntry(after.ended));
    stay = after.stay;
  }
  assert.ok(stay !== null);
  return { stay, entries };
}

test('turns at one place become one entry, which is written when the agent leaves', () => {
  const { stay, entries } = lived(
    turn(400, { event: 'I went to Café Hearth.' }),
    turn(410),
    turn(420, { event: 'I got a coffee.' }),
    turn(480, { place: null, name: 'out of doors' }),
  );
  assert.deepEqual(entries, ['Day 0, 06:40 to 08:00, Café Hearth: I went to Café Hearth. I got a coffee.']);
  assert.deepEqual([stay.id, stay.place, stay.from, stay.did], ['t480', null, { day: 0, minute: 480 }, []]);
});

test('returning to a place begins another stay', () => {
  const { entries } = lived(turn(400), turn(500, { place: 'library', name: 'Library' }), turn(600));
  assert.deepEqual(
    entries.map((entry) => entry.split(':')[2]?.trim().split(',')[1]?.trim()),
    ['Café Hearth', 'Library'],
  );
});

test('a repeated event is recorded once; events beyond the limit are counted', () => {
  const again = lived(turn(400, { event: 'I smiled.' }), turn(410, { event: 'I smiled.' }));
  assert.deepEqual([again.stay.did, again.stay.more], [['I smiled.'], 0]);
  const many = (count: number) =>
    lived(...Array.from({ length: count }, (_, index) => turn(400 + index, { event: `I said “${index}”.` }))).stay;
  assert.deepEqual([many(EVENTS_MAX).did.length, many(EVENTS_MAX).more], [EVENTS_MAX, 0]);
  assert.match(diaryEntry(many(EVENTS_MAX + 1)), / One more thing happened\.$/);
  assert.match(diaryEntry(many(EVENTS_MAX + 2)), / And 2 more things happened\.$/);
});

test('an entry has whole sentences, also past midnight, and a stay always fits its schema', () => {
  const long = lived(turn(1_439, { name: 'n'.repeat(500), event: `I said “${'x'.repeat(900)}”` }), {
    ...turn(0),
    clock: { day: 1, minute: 0 },
  }).stay;
  assert.deepEqual(Stay.parse(long), long);
  assert.match(diaryEntry(long), /^Day 0, 23:59 to day 1, 00:00, n/);
  const quiet = lived(turn(0)).stay;
  assert.equal(diaryEntry(quiet), 'Day 0, 00:00, Café Hearth: Nothing happened.');
  assert.deepEqual(sentenceFaults(diaryEntry(quiet)), []);
  assert.equal(diaryEntry(lived(turn(59), turn(600)).stay), 'Day 0, 00:59 to 10:00, Café Hearth: Nothing happened.');
});
