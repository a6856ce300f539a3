import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOWHERE } from '../../client/url-state.ts';
import {
  addressOf,
  auditQuery,
  detailLines,
  NO_FILTERS,
  filtersOf,
  factOf,
  objectLabel,
  pageOf,
} from './audit-labels.ts';

const NOW = Date.parse('2026-11-22T10:00:42Z');

test('the query has only the filters that are set', () => {
  assert.deepEqual(auditQuery(NO_FILTERS, NOW), { except: 'turn,models.call,ledger.usage' });
  assert.deepEqual(auditQuery({ ...NO_FILTERS, turns: true }, NOW), {});
  assert.deepEqual(auditQuery({ ...NO_FILTERS, action: 'turn' }, NOW), { action: 'turn' });
  assert.deepEqual(auditQuery({ ...NO_FILTERS, words: ' bread ', action: 'board', object: 'ada', since: 'day' }, NOW), {
    q: 'bread',
    action: 'board',
    object: 'ada',
    since: '2026-11-21T10:00:00.000Z',
  });
});

test('the query changes only once a minute, so that the list is not read with every tick', () => {
  assert.deepEqual(
    auditQuery({ ...NO_FILTERS, since: 'hour' }, NOW),
    auditQuery({ ...NO_FILTERS, since: 'hour' }, NOW + 10_000),
  );
});

test('facts have labels, and empty facts are left out', () => {
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

test('the address holds the filters', () => {
  const filters = {
    words: 'bread',
    action: 'board',
    actor: 'account a1',
    object: 'post p1',
    since: 'day',
    turns: true,
  } as const;
  assert.deepEqual(filtersOf({ ...NOWHERE, ...addressOf(filters) }), filters);
  assert.deepEqual(addressOf(NO_FILTERS), {
    find: null,
    action: null,
    actor: null,
    object: null,
    since: null,
    turns: false,
  });
  assert.deepEqual(filtersOf({ ...NOWHERE, since: 'some other day' }), NO_FILTERS);
});

test('a record shows in a few words what it is about, and the page of its object', () => {
  assert.equal(factOf({ detail: { tool: 'shell', outcome: 'ok' } }), 'Run a command');
  assert.equal(factOf({ detail: { tool: 'shell', outcome: 'failed' } }), 'Run a command: failed');
  assert.equal(factOf({ detail: { tool: 'remember', outcome: 'ok', claimed: true } }), 'Remember (claimed)');
  assert.equal(factOf({ detail: { amount: '5', note: 'thanks' } }), '5.00 ai$: thanks');
  assert.equal(factOf({ detail: { amount_micro: '1500000' } }), '1.50 ai$');
  assert.equal(factOf({ detail: { reason: 'spends\nall night', x: 1 } }), 'spends all night');
  assert.deepEqual(
    [{ x: 1 }, null, ['a']].map((detail) => factOf({ detail })),
    ['', '', ''],
  );
  const id = '01a20000-0000-7000-8000-00000000000b';
  const detail = { run_id: id };
  assert.deepEqual(pageOf({ action: 'run.cancel', object: id, detail: {} }), { view: 'runs', run: id });
  assert.deepEqual(pageOf({ action: 'run.create', object: 'ada', detail }), { view: 'runs', run: id });
  assert.deepEqual(pageOf({ action: 'board.post', object: id, detail: null }), { view: 'board', post: id });
  assert.equal(objectLabel({ object: 'ada', detail: { title: 'x' } }), 'ada');
  assert.deepEqual(
    [{}, { title: '' }, { reason: 'spam' }, { title: 'Rope\nfor Bob' }].map((facts) =>
      objectLabel({ object: id, detail: facts }),
    ),
    ['…0000000b', '…0000000b', '…0000000b', 'Rope for Bob'],
  );
  assert.deepEqual(
    [pageOf({ action: 'run.create', object: 'ada', detail: {} }), pageOf({ action: 'turn', object: id, detail: [] })],
    [null, null],
  );
});
