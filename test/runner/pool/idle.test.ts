import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idlePart, idleProcessors } from './idle.ts';

test('the idle part is that of the time between two readings', () => {
  assert.equal(idlePart({ idle: 100, all: 1_000 }, { idle: 130, all: 1_100 }), 0.3);
  assert.equal(idlePart({ idle: 100, all: 1_000 }, { idle: 100, all: 1_000 }), 0, 'without time nothing is known');
});

test('callers wait for each other, and stop when their work is over', async () => {
  const ended: string[] = [];
  let isOver = false;
  const busy = idleProcessors(() => isOver).then(() => ended.push('first'));
  const next = idleProcessors(() => true).then(() => ended.push('second'));
  isOver = true;
  await Promise.all([busy, next]);
  assert.deepEqual(ended, ['first', 'second']);
});
