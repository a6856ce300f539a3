import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleOf } from './title-of.ts';

test('the title of the tab names the agent and the page', () => {
  assert.equal(titleOf('map', null), 'Hamlet');
  assert.equal(titleOf('map', 'Ada'), 'Ada · Hamlet');
  assert.equal(titleOf('audit', null), 'Audit · Hamlet');
  assert.equal(titleOf('runs', 'Ada'), 'Ada · Runs · Hamlet');
});
