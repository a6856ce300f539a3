import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStepBetween } from './address.ts';
import { NOWHERE } from './url-state.ts';

const HOME = { place: NOWHERE, selected: null };

test('opening a page or an object adds a history entry; filtering and closing do not', () => {
  assert.equal(isStepBetween(HOME, { ...HOME, selected: 'ada' }), true);
  assert.equal(isStepBetween({ ...HOME, selected: 'ada' }, { ...HOME, selected: 'bob' }), true);
  assert.equal(isStepBetween({ ...HOME, selected: 'ada' }, HOME), false);
  assert.equal(isStepBetween(HOME, { ...HOME, place: { ...NOWHERE, view: 'audit' } }), true);
  assert.equal(isStepBetween(HOME, { ...HOME, place: { ...NOWHERE, post: 'p1' } }), true);
  assert.equal(isStepBetween(HOME, { ...HOME, place: { ...NOWHERE, run: 'r1' } }), true);
  assert.equal(isStepBetween(HOME, { ...HOME, place: { ...NOWHERE, find: 'bread', tab: 'money' } }), false);
});
