import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audienceLabel, explanationLabel, isOfToday, totalsLabel } from './memory-labels.ts';

test('labels say who may know a memory, how full the store is and why a memory was found', () => {
  assert.equal(audienceLabel(null), 'Everybody may know it');
  assert.equal(audienceLabel(['a', 'b']), 'Known to 2 people');
  const totals = { active: 1_200, dormant: 0, pinned: 0, dropped: 0, capacity: 50_000 };
  assert.equal(totalsLabel(totals), '1,200 of 50,000 memories');
  assert.equal(
    totalsLabel({ ...totals, dormant: 300, dropped: 2 }),
    '1,500 of 50,000 memories, 300 of them dormant. 2 were deleted because the memory was full',
  );
  const explain = { words: 0.6, recency: 0.15, importance: 0, use: 0, pinned: 0.25 };
  assert.equal(explanationLabel({ explain, score: 1 }), 'words 60 %, pin 25 %, age 15 %');
  assert.equal(explanationLabel({ explain: { ...explain, words: 0, recency: 0, pinned: 0 }, score: 0 }), '');
  const now = Date.parse('2026-11-29T12:00:00Z');
  assert.deepEqual(
    ['2026-11-28T13:00:00Z', '2026-11-28T11:00:00Z'].map((since) => isOfToday({ since }, now)),
    [true, false],
  );
});
