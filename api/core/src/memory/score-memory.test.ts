import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certaintyOf, explainMemory, scoreOf } from './score-memory.ts';

const NOW = new Date('2026-11-29T12:00:00Z');
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000);
const score = (facts: object, rank = 1, best = 1): number =>
  scoreOf(
    explainMemory(
      { since: daysAgo(1), importance: 0.5, uses: 0, pinned: false, until: null, ...facts },
      { rank, best, now: NOW },
    ),
  );

test('a score falls with age, grows with words, importance, use and a pin, and is finite without a match', () => {
  assert.ok(score({ since: daysAgo(1) }) > score({ since: daysAgo(60) }));
  assert.ok(score({}, 1, 2) < score({}, 2, 2));
  assert.ok(score({ importance: 0.9 }) > score({}));
  assert.ok(score({ uses: 3 }) > score({}));
  assert.ok(score({ pinned: true }) > score({}));
  assert.ok(Number.isFinite(score({}, 0, 0)));
  assert.ok(
    score({ since: new Date(NOW.getTime() + 5_000) }) <= score({ since: NOW }),
    'a clock that is ahead gains nothing',
  );
});

test('a replaced memory is below its successor, even if it is pinned and was used often', () => {
  assert.ok(score({ until: NOW, pinned: true, uses: 50, importance: 1 }) < score({ importance: 1 }));
});

test('the origin of a memory decides how sure it is', () => {
  const facts = { kind: 'fact', outside: false, corrected: false } as const;
  assert.equal(certaintyOf(facts), 'noted');
  assert.equal(certaintyOf({ ...facts, kind: 'evidence' }), 'said');
  assert.equal(certaintyOf({ ...facts, kind: 'evidence', outside: true }), 'outside');
  assert.equal(certaintyOf({ ...facts, outside: true, corrected: true }), 'confirmed');
});
