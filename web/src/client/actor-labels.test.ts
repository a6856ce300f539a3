import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorLabel, isOwn } from './actor-labels.ts';

const MINE = 'c1480749-6894-4f7a-a96b-7fdbdbfed044';

test('an act is signed with a name, and one\'s own with "you"', () => {
  assert.equal(actorLabel(`account ${MINE}`, 'admin', MINE), 'you');
  assert.equal(actorLabel(`account ${MINE}`, 'admin', null), 'admin c1480749');
  assert.equal(actorLabel(`account ${MINE}`, null, 'another'), 'account c1480749');
  assert.equal(actorLabel('agent ada', 'agent', MINE), 'ada');
  assert.equal(actorLabel('system', null, MINE), 'system');
  assert.deepEqual(
    [isOwn(`account ${MINE}`, MINE), isOwn(`account ${MINE}`, 'another'), isOwn('account null', null)],
    [true, false, false],
  );
});
