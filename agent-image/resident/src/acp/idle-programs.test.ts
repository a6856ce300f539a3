import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdlePrograms } from './idle-programs.ts';

test('two programs rest; a third one ends the one that has rested longest, and one that works again is not ended', async () => {
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
