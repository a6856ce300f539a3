/** Leaders of the operator on a real Postgres: at any moment at most one may act. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { FENCE_EXPIRES_S, lockFence, noteFence } from './fences.ts';

const ledger = await testLedger(2);
beforeEach(() => sql`delete from operator_fence`.execute(ledger.owner));

const note = (leaseUid: string, transitions: number): Promise<void> => noteFence(ledger.db, { leaseUid, transitions });
const mayAct = (leaseUid: string, transitions: number): Promise<boolean> =>
  ledger.within((tx) => lockFence(tx, { leaseUid, transitions }));
const silentFor = (seconds: number): Promise<unknown> =>
  sql`update operator_fence set seen_at = seen_at - ${seconds} * interval '1 second'`.execute(ledger.owner);

test('the first leader is trusted until the first request of its successor, and never after', async () => {
  await note('a', 3);
  assert.deepEqual([await mayAct('a', 3), await mayAct('a', 2), await mayAct('b', 3)], [true, false, false]);
  await note('a', 4);
  await note('a', 3);
  assert.deepEqual([await mayAct('a', 3), await mayAct('a', 4)], [false, true]);
});

test('another Lease is trusted only after the present leader has been silent', async () => {
  await note('a', 0);
  await note('b', 0);
  assert.deepEqual([await mayAct('a', 0), await mayAct('b', 0)], [true, false]);
  await silentFor(FENCE_EXPIRES_S + 1);
  await note('b', 0);
  assert.deepEqual([await mayAct('a', 0), await mayAct('b', 0)], [false, true]);
});

test('a replaced Lease is never trusted again', async () => {
  await note('a', 0);
  await silentFor(FENCE_EXPIRES_S + 1);
  await note('b', 0);
  await silentFor(FENCE_EXPIRES_S + 1);
  await note('a', 1);
  assert.deepEqual([await mayAct('a', 1), await mayAct('b', 0)], [false, true]);
});

test('a request of the leader shows that it is alive; a request of its predecessor does not', async () => {
  await note('a', 1);
  await silentFor(FENCE_EXPIRES_S + 1);
  await note('a', 1);
  await note('b', 0);
  assert.deepEqual([await mayAct('a', 1), await mayAct('b', 0)], [true, false]);
  await silentFor(FENCE_EXPIRES_S + 1);
  await note('a', 0);
  await note('b', 0);
  assert.deepEqual([await mayAct('a', 1), await mayAct('b', 0)], [false, true]);
});
