/** Statements that Postgres plans once per connection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { findApiKeys } from '../people/api-keys.ts';
import { prepared } from './guarded-pool.ts';

const ledger = await testLedger(1);

async function namesOf(): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements order by name`.execute(
    ledger.db,
  );
  return rows.map(({ name }) => name);
}

test('a marked statement stays prepared on its connection, and an unmarked one does not', async () => {
  const add = (a: number, b: number) =>
    sql<{ sum: number }>`${prepared('sum_of_two')} select ${a}::int4 + ${b}::int4 as sum`.execute(ledger.db);
  assert.deepEqual((await add(1, 2)).rows, [{ sum: 3 }]);
  assert.deepEqual((await add(3, 4)).rows, [{ sum: 7 }]);
  assert.deepEqual(await namesOf(), ['sum_of_two']);
});

test('token lookups use one prepared statement for any number of tokens', async () => {
  for (const count of [1, 3, 40]) {
    const hashes = Array.from({ length: count }, (_, index) => Buffer.alloc(32, index));
    assert.deepEqual(
      await findApiKeys(ledger.db, hashes),
      hashes.map(() => null),
    );
  }
  assert.ok((await namesOf()).includes('api_key'));
});

test('a statement is planned again after its table has changed', async () => {
  const count = () =>
    sql<{ many: number }>`${prepared('count_of_changing')} select count(*)::int4 as many from changing`.execute(
      ledger.db,
    );
  await sql`create table changing (a integer)`.execute(ledger.owner);
  await sql`grant select on changing to app`.execute(ledger.owner);
  assert.deepEqual((await count()).rows, [{ many: 0 }]);
  await sql`alter table changing add column b text`.execute(ledger.owner);
  await sql`insert into changing values (1, 'x')`.execute(ledger.owner);
  assert.deepEqual((await count()).rows, [{ many: 1 }]);
});
