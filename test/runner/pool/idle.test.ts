import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { idlePart, idleProcessors } from './idle.ts';

test('the idle part is that of the time between two readings', () => {
  assert.equal(idlePart({ idle: 100, all: 1_000 }, { idle: 130, all: 1_100 }), 0.3);
  assert.equal(idlePart({ idle: 100, all: 1_000 }, { idle: 100, all: 1_000 }), 0, 'no time has passed');
});

test('callers take turns, and a turn ends when nothing is left to do', async () => {
  const ended: string[] = [];
  let isOver = false;
  const first = idleProcessors(() => isOver).then(() => ended.push('first'));
  const second = idleProcessors(() => true).then(() => ended.push('second'));
  await setImmediate();
  assert.deepEqual(ended, [], 'the second waits for the turn of the first');
  isOver = true;
  await Promise.all([first, second]);
  assert.deepEqual(ended, ['first', 'second']);
});
