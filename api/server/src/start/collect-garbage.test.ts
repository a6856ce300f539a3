import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage } from './collect-garbage.ts';

test('an object without a reference is collected', async () => {
  const left = new WeakRef({ kind: 'garbage' });
  // A WeakRef keeps a new object until the turn of the event loop ends.
  await nextTurn();
  await collectGarbage();
  assert.equal(left.deref(), undefined);
});
