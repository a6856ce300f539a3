/** Transactions are repeated after a deadlock or a serialization failure, on a real Postgres. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { inOneTry, inTransaction, isConflict, lockName, type Tx } from './database.ts';

const ledger = await testLedger(4);

/** Locks two names in opposite orders at once, so that the first tries of the two transactions wait for each other. */
function inACircle(run: typeof inTransaction) {
  let tries = 0;
  const first = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = (at: 0 | 1) => async (tx: Tx) => {
    tries += 1;
    await lockName(tx, `name ${at}`);
    first[at]?.resolve();
    await first[1 - at]?.promise;
    await lockName(tx, `name ${1 - at}`);
    return at;
  };
  const both = Promise.allSettled([run(ledger.db, lock(0)), run(ledger.db, lock(1))]);
  return both.then((ends) => ({ ends, tries }));
}

test('two transactions that wait for each other both commit: the one that Postgres ends is repeated', async () => {
  const { ends, tries } = await inACircle(inTransaction);
  assert.deepEqual(
    ends.map((end) => end.status === 'fulfilled' && end.value),
    [0, 1],
  );
  assert.equal(tries, 3);
});

test('work with effects outside the database runs once, and its caller gets the conflict', async () => {
  const { ends, tries } = await inACircle(inOneTry);
  const refused = ends.filter((end) => end.status === 'rejected');
  assert.equal(tries, 2);
  assert.equal(refused.length, 1);
  assert.ok(isConflict(refused[0]?.reason));
});

test('a transaction that always conflicts ends after six tries, and another error ends it at once', async () => {
  const raise = (code: string) => {
    let tries = 0;
    const work = async (tx: Tx): Promise<void> => {
      tries += 1;
      await sql.raw(`do $$ begin raise exception 'x' using errcode = '${code}'; end $$`).execute(tx);
    };
    return inTransaction(ledger.db, work).then(
      () => 0,
      () => tries,
    );
  };
  assert.equal(await raise('40001'), 6);
  assert.equal(await raise('23505'), 1);
});
