import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awayLine } from './away.ts';

const newest = { agent_id: 'ada', at: '2026-11-29T12:00:00.123Z', line: 'finished “Bread \u001b[31m”', link: '/' };

test('a group is a line with the time, the number and the words of its newest change, without control characters', () => {
  assert.equal(
    awayLine({ kind: 'results', count: 2, more: false, newest: { ...newest, line: 'finished “Bread”' } }),
    '2026-11-29T12:00:00Z     2 results       ada finished “Bread”',
  );
  assert.equal(
    awayLine({ kind: 'members', count: 100, more: true, newest: { ...newest, agent_id: null, line: 'Neo joined' } }),
    '2026-11-29T12:00:00Z  100+ members       Neo joined',
  );
  assert.ok(!awayLine({ kind: 'results', count: 2, more: false, newest }).includes('\u001b'));
});
