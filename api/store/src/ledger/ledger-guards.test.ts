/** Write permissions of the ledger, and the code of each refusal. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { BATCH_MAX, postBatch } from './post-batch.ts';
import { holdMoney, postTransfer, resolveHold, reverseTransfer } from './post-transfer.ts';
import { LEDGER_REFUSALS, refusalOfCode } from './refusal.ts';
import { AHEAD, sqlStateOf, testLedger } from './testing/test-ledger.ts';

const TABLES = ['account', 'transfer', 'entry', 'circumstance', 'reversal', 'hold', 'open_hold', 'resolution'] as const;
const APPEND_ONLY = TABLES.filter((table) => table !== 'account' && table !== 'open_hold');
const ACTOR = { role: 'agent', id: 'guarded' } as const;

const ledger = await testLedger(4);
const agent = await ledger.account('guarded', 1_000n);
const { compute, treasury } = ledger;
await ledger.within(async (tx) => {
  const about = {
    podUid: 'pod-1',
    runId: randomUUID(),
    imageDigest: 'sha256:1',
    traceparent: 'trace',
    relatedPostId: randomUUID(),
  };
  const posted = await postTransfer(tx, { ...ledger.request([agent, compute], 10n, 'spent'), actor: ACTOR, about });
  assert.ok(posted.ok);
  await reverseTransfer(tx, {
    transferId: posted.transferId,
    key: 'undone',
    reason: 'refund',
    source: 'test',
    note: '',
    actor: ACTOR,
    forced: false,
  });
  for (const [key, outcome] of [
    ['posted', 'posted'],
    ['voided', 'voided'],
    ['open', null],
  ] as const) {
    const held = await holdMoney(tx, { ...ledger.request([agent, compute], 5n, key), expiresAt: AHEAD });
    assert.ok(held.ok);
    if (outcome !== null)
      await resolveHold(tx, { holdId: held.holdId, outcome, amount: 4n, key: `end of ${key}`, actor: ACTOR });
  }
});

test("the api's role cannot write rows of the ledger directly", async () => {
  for (const table of TABLES) {
    for (const statement of [
      `insert into ledger.${table} select * from ledger.${table} limit 1`,
      `delete from ledger.${table}`,
      `truncate ledger.${table} cascade`,
    ]) {
      assert.equal(await sqlStateOf(ledger.db, statement), '42501', statement);
    }
  }
  for (const statement of [
    'update ledger.account set balance = balance + 1',
    'update ledger.entry set amount = 1',
    "update ledger.transfer set note = 'x'",
    'update ledger.open_hold set amount = 1',
  ]) {
    assert.equal(await sqlStateOf(ledger.db, statement), '42501', statement);
  }
  for (const call of [
    "ledger.write(uuidv7(), -64, 64, 1, 'k', 'reward', 's', '', 'r', 'i', null, null, 0, true, true, null)",
    "ledger.open_account('agent', 'x', 1, true)",
    "nextval('ledger.account_number')",
  ]) {
    assert.equal(await sqlStateOf(ledger.db, `select ${call}`), '42501', call);
  }
});

/** Types that ledger functions use without a schema. */
const TYPE_NAMES = ['uuid', 'bytea', 'timestamptz', 'jsonb', 'text', 'record'] as const;

test("the api's role cannot create an object that shadows one in a function of the owner", async () => {
  const { rows } = await sql<{ place: string }>`
    select 'schema ' || nspname as place from pg_namespace where has_schema_privilege(current_user, oid, 'create') and nspname not like 'pg_temp%' and nspname not like 'pg_toast%'
    union all select 'database' where has_database_privilege(current_user, current_database(), 'create')`.execute(
    ledger.db,
  );
  assert.deepEqual(rows, []);
  const open = await sql<{ name: string }>`
    select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.prosecdef and n.nspname <> 'pg_catalog' and p.oid <> 'ledger.post'::regproc
      and not coalesce(p.proconfig, '{}') && array['search_path=pg_catalog, pg_temp', 'search_path=pg_catalog, public, pg_temp']`.execute(
    ledger.owner,
  );
  assert.deepEqual(
    open.rows,
    [],
    "a function with the owner's rights needs: set search_path = pg_catalog, pg_temp (with public before pg_temp where it names tables of it)",
  );
});

test('posting ignores a temporary type that shadows a type of Postgres', async () => {
  await ledger.within(async (tx) => {
    for (const name of TYPE_NAMES)
      await sql`create domain ${sql.id('pg_temp', name)} as pg_catalog.int4 check (false)`.execute(tx);
    await sql`discard plans`.execute(tx);
    const posted = await sql<{ transfer: string }>`
      select (ledger.post(${compute}, ${agent}, 1, 'beside temporary types', 'reward', 'test', '', 'system', 'test', null, '{"pod_uid": "p"}'::pg_catalog.jsonb)).transfer_id::pg_catalog.text as transfer`.execute(
      tx,
    );
    assert.equal(posted.rows.length, 1);
    for (const name of TYPE_NAMES) await sql`drop domain ${sql.id('pg_temp', name)}`.execute(tx);
  });
});

test('the owner cannot change written rows, with or without the replication role', async () => {
  for (const role of ['origin', 'replica']) {
    for (const table of APPEND_ONLY) {
      const [column] = (
        await sql<{
          name: string;
        }>`select attname as name from pg_attribute where attrelid = ${`ledger.${table}`}::regclass and attnum = 1`.execute(
          ledger.owner,
        )
      ).rows;
      for (const statement of [
        `update ledger.${table} set ${column?.name} = ${column?.name}`,
        `delete from ledger.${table}`,
        `truncate ledger.${table} cascade`,
      ]) {
        assert.equal(
          await sqlStateOf(ledger.owner, `set session_replication_role = ${role}; ${statement}`),
          '42501',
          `${role}: ${statement}`,
        );
      }
    }
    assert.equal(
      await sqlStateOf(ledger.owner, `set session_replication_role = ${role}; delete from ledger.account`),
      '42501',
    );
  }
  await sql`set session_replication_role = origin`.execute(ledger.owner);
});

test('every refusal has its own SQLSTATE that a function raises', async () => {
  const names = Object.values(LEDGER_REFUSALS);
  assert.equal(new Set(names).size, names.length);
  for (const code of Object.keys(LEDGER_REFUSALS)) {
    assert.equal(await sqlStateOf(ledger.owner, `select ledger.refuse('${code}')`), code);
    assert.notEqual(refusalOfCode(code), null);
  }
  assert.equal(refusalOfCode('23505'), null);
});

test('a batch above the maximum is refused, and an empty one does nothing', async () => {
  await assert.rejects(
    ledger.within((tx) =>
      postBatch(
        tx,
        Array.from({ length: BATCH_MAX + 1 }, (_, index) => ledger.request([compute, agent], 1n, `too many ${index}`)),
      ),
    ),
    { code: 'LD016' },
  );
  assert.deepEqual(await ledger.within((tx) => postBatch(tx, [])), []);
});

test('the largest batch is posted', async () => {
  const account = await ledger.account('largest-batch', 0n);
  const requests = Array.from({ length: BATCH_MAX }, (_, index) =>
    ledger.request([treasury, account], 1n, `largest ${index}`),
  );
  const outcomes = await ledger.within((tx) => postBatch(tx, requests));
  assert.ok(outcomes.length === BATCH_MAX && outcomes.every(({ ok }) => ok));
});

test("after a refusal the caller's transaction stays usable and the ledger is unchanged", async () => {
  const count = async (): Promise<number> =>
    Number((await sql<{ n: number }>`select count(*) as n from ledger.transfer`.execute(ledger.db)).rows[0]?.n);
  const before = await count();
  await ledger.within(async (tx) => {
    assert.deepEqual(await postTransfer(tx, ledger.request([agent, compute], 1_000_000n, 'too much')), {
      ok: false,
      reason: 'insufficient_funds',
    });
    assert.ok((await postTransfer(tx, ledger.request([agent, compute], 1n, 'enough'))).ok);
  });
  assert.equal(await count(), before + 1);
});

test('an entry has its actor, pod, run, image and trace', async () => {
  const { rows } = await sql<Record<string, string>>`
    select t.actor_id, t.about ->> 'pod_uid' as pod_uid, t.about ->> 'image_digest' as image_digest, t.about ->> 'traceparent' as traceparent from ledger.transfer t where t.idempotency_key = 'spent'`.execute(
    ledger.db,
  );
  assert.deepEqual(
    { ...rows[0] },
    { actor_id: 'guarded', pod_uid: 'pod-1', image_digest: 'sha256:1', traceparent: 'trace' },
  );
});
