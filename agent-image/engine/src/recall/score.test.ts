import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { p95, recallAt, scoreByKind, scoreRecall, type Answered } from './score.ts';

const answered = (fields: Partial<Answered>): Answered => ({
  kind: 'all',
  evidence: ['a'],
  returned: [],
  tokens: 0,
  ms: 0,
  ...fields,
});

test('recall is the share of the evidence among the first hits', () => {
  const returned = ['x', 'a', 'y', 'b', 'z'];
  for (const { k, evidence, share } of [
    { k: 1, evidence: ['a'], share: 0 },
    { k: 2, evidence: ['a'], share: 1 },
    { k: 2, evidence: ['a', 'b'], share: 0.5 },
    { k: 4, evidence: ['a', 'b'], share: 1 },
    { k: 20, evidence: ['a', 'b', 'c', 'd'], share: 0.5 },
    { k: 20, evidence: [], share: 0 },
  ])
    equal(recallAt(k, { evidence, returned }), share, `${evidence.join()} at ${k}`);
});

test('a question without evidence counts for the time alone', () => {
  const score = scoreRecall([
    answered({ returned: ['a'], tokens: 100, ms: 1 }),
    answered({ returned: ['b', 'c', 'd', 'e', 'f', 'a'], tokens: 200, ms: 2 }),
    answered({ evidence: [], tokens: 999, ms: 9 }),
  ]);
  deepEqual(score, { questions: 2, recall: { 5: 0.5, 10: 1, 20: 1 }, tokens: 150, p95Ms: 9 });
});

test('each kind has a score of its own, in the order of the questions', () => {
  const scores = scoreByKind([
    answered({ kind: 'multi' }),
    answered({ kind: 'single', returned: ['a'] }),
    answered({ kind: 'multi', returned: ['a'] }),
  ]);
  deepEqual(
    [...scores].map(([kind, { questions, recall }]) => [kind, questions, recall[5]]),
    [
      ['multi', 2, 0.5],
      ['single', 1, 1],
    ],
  );
});

test('p95 is the value that one in twenty exceeds', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
  deepEqual([p95(hundred), p95([7]), p95([])], [95, 7, 0]);
});
