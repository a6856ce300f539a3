import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  audienceLabel,
  explanationLabel,
  foundLabel,
  isLongText,
  moreLabel,
  notShownLabel,
  refusalLabel,
  refusedChanges,
  todayLabel,
  totalsLabel,
} from './memory-labels.ts';

test('labels say who may know a memory, how full the store is and why a memory was found', () => {
  assert.equal(audienceLabel(null, 'kim'), 'Everybody may know it');
  assert.equal(audienceLabel(['a'], 'kim'), 'Known to one person');
  assert.equal(audienceLabel(['a', 'b'], 'kim'), 'Known to 2 people');
  assert.equal(audienceLabel(['account kim'], 'kim'), 'Known to you alone');
  assert.equal(audienceLabel(['a', 'account kim'], 'kim'), 'Known to you and one other person');
  assert.equal(audienceLabel(['a', 'b', 'account kim'], 'kim'), 'Known to you and 2 others');
  const totals = { active: 1_200, dormant: 0, pinned: 0, dropped: 0, capacity: 50_000 };
  assert.equal(totalsLabel(totals), '1,200 of 50,000 memories');
  assert.equal(
    totalsLabel({ ...totals, dormant: 300, dropped: 2 }),
    '1,500 of 50,000 memories, 300 of them dormant. 2 were deleted because the memory was full',
  );
  assert.match(totalsLabel({ ...totals, dropped: 1 }), /1 was deleted/);
  const explain = { words: 0.6, recency: 0.15, importance: 0, use: 0, pinned: 0.25 };
  assert.equal(explanationLabel({ explain, score: 1 }), '60 % matching words, 25 % pin, 15 % recency');
  assert.equal(explanationLabel({ explain: { ...explain, words: 0, recency: 0, pinned: 0 }, score: 0 }), '');
});

test('many characters or many lines are a long text', () => {
  assert.deepEqual(['a'.repeat(400), 'a'.repeat(401), 'a\n'.repeat(7), 'a\n'.repeat(8)].map(isLongText), [
    false,
    true,
    false,
    true,
  ]);
});

test('a search says how many memories it found, and when there may be more', () => {
  assert.match(foundLabel(0, 20), /^No memory shares/);
  assert.match(foundLabel(1, 20), /^1 memory shares/);
  assert.match(foundLabel(19, 20), /^19 memories share .*the best first\.$/);
  assert.match(foundLabel(20, 20), /^The 20 best are listed; add a word/);
});

test('the news of a day count only what is listed, and say so', () => {
  const now = Date.parse('2026-11-29T12:00:00Z');
  const fresh = { since: '2026-11-29T11:00:00Z' };
  const old = { since: '2026-11-28T11:59:00Z' };
  assert.equal(todayLabel([old], true, now), 'Nothing new in the last 24 hours.');
  assert.equal(todayLabel([fresh, old], false, now), '1 new in the last 24 hours.');
  assert.equal(todayLabel([fresh, fresh], true, now), '2 new in the last 24 hours.');
  assert.equal(todayLabel([fresh, fresh], false, now), 'At least 2 new in the last 24 hours.');
});

test('labels say how many memories are listed or missing, and why the agent refused a change', () => {
  assert.match(moreLabel(1_050), /^The newest 1,050 are listed; find others by search/);
  const totals = { active: 2_400, dormant: 100, pinned: 0, dropped: 0, capacity: 200_000 };
  assert.equal(notShownLabel(2_500, totals), null);
  assert.match(notShownLabel(1_000, totals) ?? '', /^1,500 memories are not copied here yet/);
  assert.match(notShownLabel(2_499, totals) ?? '', /^1 memory is not/);
  const now = Date.parse('2026-11-29T12:00:00Z');
  const change = {
    op: 'pin',
    memory_id: 'm-1',
    at: '2026-11-29T11:00:00Z',
    state: 'refused',
    reason: 'too_many_pins',
  } as const;
  const changes = [
    { ...change, number: 4, memory_id: 'm-2', state: 'done', reason: null },
    { ...change, number: 3 },
    { ...change, number: 2, memory_id: 'm-2' },
    { ...change, number: 1, memory_id: 'm-3', at: '2026-11-01T11:00:00Z' },
  ] as const;
  const shown = refusedChanges(changes, now);
  assert.deepEqual(
    shown.map(({ number }) => number),
    [3],
    'a later change replaces a refused one, and an old one is not shown',
  );
  assert.match(refusalLabel(change), /^The agent could not pin a memory: its people have 200 pins/);
});
