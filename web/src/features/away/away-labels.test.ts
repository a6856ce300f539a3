import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AwayGroup, AWAY_KINDS } from '@hamlet/contract';
import { groupTitle, isBack } from './away-labels.ts';

const AT = '2026-01-02T08:00:00.000Z';
const group: AwayGroup = {
  kind: 'results',
  count: 2,
  more: false,
  newest: { agent_id: 'ada', at: AT, line: 'finished “Bread”', link: '/?view=runs' },
};

test('a person is back after half an hour with changes, never before a first look', () => {
  const cases: readonly (readonly [string | null, number, boolean])[] = [
    ['2026-01-02T07:30:00.000Z', 1, true],
    ['2026-01-02T07:30:00.001Z', 1, false],
    ['2026-01-01T08:00:00.000Z', 0, false],
    [null, 1, false],
  ];
  for (const [since, groups, back] of cases)
    assert.equal(isBack({ since, until: AT, groups: Array.from({ length: groups }, () => group) }), back, `${since}`);
});

test('a title counts, and says if there are more', () => {
  assert.equal(groupTitle(group), '2 finished runs');
  assert.equal(groupTitle({ ...group, count: 100, more: true }), '100+ finished runs');
  assert.equal(groupTitle({ ...group, kind: 'answers', count: 1 }), '1 answer for you');
  assert.equal(new Set(AWAY_KINDS.map((kind) => groupTitle({ ...group, kind }))).size, AWAY_KINDS.length);
});
