import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VIEWS } from '../../client/url-state.ts';
import { addressOf, groupOf, GROUPS, openedBy, seenBy, titleOf } from './page-groups.ts';

test('every page is in exactly one group', () => {
  assert.deepEqual(GROUPS.flatMap((group) => group.views).toSorted(), [...VIEWS].toSorted());
  for (const view of VIEWS) assert.ok(groupOf(view).views.includes(view));
});

test('a group opens the first page that the viewer may see', () => {
  const economy = groupOf('tiers');
  assert.equal(openedBy(economy, 'visitor'), 'tiers');
  assert.equal(openedBy(economy, 'member'), 'ledger');
  assert.equal(openedBy(groupOf('runs'), 'visitor'), 'runs', 'the page itself explains who may see it');
});

test('the group Office is for admins; a visitor sees the other groups', () => {
  const words = (role: 'visitor' | 'member' | 'admin'): string[] =>
    GROUPS.filter((group) => seenBy(group, role)).map((group) => group.word);
  assert.deepEqual(words('visitor'), ['Village', 'Board', 'Work', 'Economy']);
  assert.deepEqual(words('member'), words('visitor'));
  assert.deepEqual(words('admin'), ['Village', 'Board', 'Work', 'Economy', 'Office']);
});

test('the village is at the root, a page at its query', () => {
  assert.equal(addressOf('map'), '/');
  assert.equal(addressOf('audit'), '/?view=audit');
});

test('the title of the browser tab names the agent and the page', () => {
  assert.equal(titleOf({ view: 'map', agent: null, waiting: null, village: 'Hamlet' }), 'Hamlet');
  assert.equal(titleOf({ view: 'map', agent: 'Ada', waiting: null, village: 'Hamlet' }), 'Ada · Hamlet');
  assert.equal(titleOf({ view: 'audit', agent: null, waiting: null, village: 'Oak' }), 'Audit · Oak');
  assert.equal(
    titleOf({ view: 'runs', agent: 'Ada', waiting: '2', village: 'Hamlet' }),
    '(2) Ada · Runs · Hamlet',
    'two requests wait',
  );
});
