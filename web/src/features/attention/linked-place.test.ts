import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkedPlace } from './linked-place.ts';

test('a link opens its page, and the agent beside it', () => {
  const run = linkedPlace('/?view=runs&run=r1');
  assert.deepEqual([run.place.view, run.place.run, run.agent], ['runs', 'r1', null]);
  const money = linkedPlace('/?agent=ada&tab=money');
  assert.deepEqual([money.place.view, money.place.tab, money.agent], ['map', 'money', 'ada']);
});
