import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOWHERE } from '../../client/url-state.ts';
import { addressOf, auditQuery, detailLines, EVERYTHING, narrowingOf } from './audit-labels.ts';

const NOW = Date.parse('2026-11-22T10:00:42Z');

test('only what is narrowed is asked for', () => {
  assert.deepEqual(auditQuery(EVERYTHING, NOW), { except: 'turn' });
  assert.deepEqual(auditQuery({ ...EVERYTHING, turns: true }, NOW), {});
  assert.deepEqual(auditQuery({ ...EVERYTHING, action: 'turn' }, NOW), { action: 'turn' });
  assert.deepEqual(auditQuery({ ...EVERYTHING, words: ' bread ', action: 'board', object: 'ada', since: 'day' }, NOW), {
    q: 'bread',
    action: 'board',
    object: 'ada',
    since: '2026-11-21T10:00:00.000Z',
  });
});

test('the question is the same for a minute, so that the list is not read anew with every tick', () => {
  assert.deepEqual(
    auditQuery({ ...EVERYTHING, since: 'hour' }, NOW),
    auditQuery({ ...EVERYTHING, since: 'hour' }, NOW + 10_000),
  );
});

test('facts are told by name, and what is not there is left out', () => {
  assert.deepEqual(
    detailLines({ detail: { amount: '5', related: null, place: { x: 1 } }, request_id: 'r1', traceparent: null }),
    [
      { name: 'amount', value: '5' },
      { name: 'place', value: '{"x":1}' },
      { name: 'request', value: 'r1' },
    ],
  );
  assert.deepEqual(detailLines({ detail: null, request_id: null, traceparent: null }), []);
  assert.deepEqual(detailLines({ detail: ['a'], request_id: null, traceparent: null }), [
    { name: 'detail', value: '["a"]' },
  ]);
});

test('what the audit is narrowed to is in the address, and comes back from it', () => {
  const narrowing = {
    words: 'bread',
    action: 'board',
    actor: 'account a1',
    object: 'post p1',
    since: 'day',
    turns: true,
  } as const;
  assert.deepEqual(narrowingOf({ ...NOWHERE, ...addressOf(narrowing) }), narrowing);
  assert.deepEqual(addressOf(EVERYTHING), {
    find: null,
    action: null,
    actor: null,
    object: null,
    since: null,
    turns: false,
  });
  assert.deepEqual(narrowingOf({ ...NOWHERE, since: 'some other day' }), EVERYTHING);
});
