import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdlePrograms } from './idle-programs.ts';

test('a third resting program ends the one that has rested longest; a program that works again stays', async () => {
  const ended: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => ({ end: async () => void ended.push(name) }));
  assert.ok(a && b && c && d);
  const idle = new IdlePrograms<typeof a>();
  await idle.rest(a);
  await idle.rest(b);
  assert.deepEqual(ended, []);
  idle.leave(a);
  await idle.rest(c);
  assert.deepEqual(ended, []);
  await idle.rest(a);
  await idle.rest(d);
  assert.deepEqual(ended, ['b', 'c']);
});
