import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditRecord, LedgerEntry } from '@hamlet/contract';
import { differencesOf, isSealedByHash } from './sealed-differences.ts';
import { actLeaf, ENTRY, entryLeaf, RECORD } from './sealed-log.fixture.ts';

const ofEntry = (change: Partial<LedgerEntry>, leaf = entryLeaf()): unknown =>
  differencesOf({ kind: 'entry', entry: { ...ENTRY, ...change } }, leaf);
const ofRecord = (change: Partial<AuditRecord>, leaf = actLeaf()): unknown =>
  differencesOf({ kind: 'record', record: { ...RECORD, ...change } }, leaf);

test('every field of an entry is compared with its leaf', () => {
  assert.deepEqual(ofEntry({}), []);
  assert.deepEqual(ofEntry({ amount: '2.5' }), [{ field: 'amount', shown: '2.5', sealed: '-2.5' }]);
  assert.deepEqual(
    ofEntry({ agent_id: 'bob' }),
    ['agent', 'amount', 'balance after it', 'number'].map((field, index) => ({
      field,
      shown: ['bob', '-2.5', '7.5', '3'][index],
      sealed: 'nothing',
    })),
  );
  assert.deepEqual(ofEntry({ balance_after: '70', version: 4 }), [
    { field: 'balance after it', shown: '70', sealed: '7.5' },
    { field: 'number', shown: '4', sealed: '3' },
  ]);
  for (const [field, change] of [
    ['reason', { reason: 'reward' }],
    ['source', { source: 'mo' }],
    ['post', { related_post_id: RECORD.record_id }],
    ['time', { timestamp: '2026-11-22T10:00:01.123457Z' }],
    ['id', { ledger_entry_id: RECORD.record_id }],
  ] as const) {
    assert.deepEqual(
      (ofEntry(change) as { field: string }[]).map((difference) => difference.field),
      [field],
    );
  }
});

test('the audit record of the same entry is compared', () => {
  const record: AuditRecord = {
    record_id: ENTRY.ledger_entry_id,
    kind: 'ledger',
    at: ENTRY.timestamp,
    actor_role: 'admin',
    actor_id: 'keeper',
    action: 'ledger.penalty',
    object: 'ada',
    detail: { amount_micro: '2500000', from: 'agent/ada', to: 'treasury', source: 'keeper', note: ENTRY.note },
    request_id: null,
    traceparent: null,
  };
  assert.deepEqual(ofRecord(record, entryLeaf()), []);
  assert.deepEqual(ofRecord({ ...record, detail: { ...Object(record.detail), amount_micro: '1' } }, entryLeaf()), [
    { field: 'amount_micro', shown: '1', sealed: '2500000' },
  ]);
});

test('an act is compared with its leaf, regardless of the order of its details', () => {
  assert.deepEqual(ofRecord({}), []);
  assert.deepEqual(ofRecord({ detail: { at: { x: 1, y: 3 }, reason: 'spam' } }), [
    { field: 'details', shown: '{"at":{"x":1,"y":3},"reason":"spam"}', sealed: '{"at":{"x":1,"y":2},"reason":"spam"}' },
  ]);
  for (const [field, change] of [
    ['actor', { actor_id: 'mo' }],
    ['action', { action: 'board.undo' }],
    ['object', { object: 'post 8' }],
    ['request', { request_id: null }],
    ['trace', { traceparent: 't' }],
    ['time', { at: '2026-11-22T10:00:02Z' }],
  ] as const) {
    assert.deepEqual(
      (ofRecord(change) as { field: string }[]).map((difference) => difference.field),
      [field],
    );
  }
});

test('details that are sealed as a hash are not compared, and the page can report it', () => {
  assert.deepEqual(ofRecord({ detail: 'anything' }, actLeaf({ detail: null })), []);
  assert.ok(isSealedByHash({ kind: 'record', record: RECORD }, actLeaf({ detail: null })));
  assert.ok(!isSealedByHash({ kind: 'record', record: RECORD }, actLeaf()));
});

test('a leaf of another kind or an unreadable leaf gives no comparison', () => {
  assert.deepEqual(
    (ofRecord({}, entryLeaf()) as { field: string }[]).map(({ field }) => field),
    ['kind', 'id'],
  );
  assert.equal(ofEntry({}, new Uint8Array([1, 2, 3])), null);
});
