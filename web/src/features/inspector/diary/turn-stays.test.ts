import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diaryOf } from './turn-labels.ts';

const turn = (
  id: string,
  reflected: Record<string, unknown>,
  [goal, outcome]: readonly [string, string] = ['sitting', 'none'],
) => ({
  turn_id: id,
  recorded_at: `2026-11-23T12:00:0${id}Z`,
  trigger: 'tick' as const,
  perceived: {},
  decided: { goal, why: 'so' },
  acted: { outcome },
  reflected,
});
const stay = (id: string, entry: string) => ({ stay: { id, name: `place ${id}`, place: id, entry } });

test('turns of one stay form one entry with its newest text, without turns that only waited', () => {
  const entries = diaryOf([
    turn('5', stay('b', 'two')),
    turn('4', stay('b', 'one'), ['walking', 'accepted']),
    turn('3', stay('b', '')),
    turn('2', stay('a', 'before')),
    turn('1', stay('b', 'long ago')),
  ]);
  assert.deepEqual(
    entries.map(({ title, text, turns }) => [title, text, turns.map(({ turn_id }) => turn_id)]),
    [
      ['place b', 'two', ['4']],
      ['place a', 'before', ['2']],
      ['place b', 'long ago', ['1']],
    ],
  );
  assert.deepEqual(
    entries.map(({ key, at }) => [key, at]),
    [
      ['3', '2026-11-23T12:00:05Z'],
      ['2', '2026-11-23T12:00:02Z'],
      ['1', '2026-11-23T12:00:01Z'],
    ],
  );
});

test('turns without a stay are grouped by their goal', () => {
  const entries = diaryOf([
    turn('3', {}),
    turn('2', { stay: 7 }),
    turn('1', { stay: { id: 'x' } }, ['walking', 'none']),
  ]);
  assert.deepEqual(
    entries.map(({ title, text, turns }) => [title, text, turns.length]),
    [
      ['sitting', '', 1],
      ['walking', '', 1],
    ],
  );
  assert.deepEqual(diaryOf([]), []);
});
