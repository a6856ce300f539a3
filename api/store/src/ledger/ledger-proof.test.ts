/** The check of new entries finds the same damage as the check of the whole ledger, but costs only in proportion to the new entries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { cases } from '@hamlet/test/env/seeded';
import { sql } from 'kysely';
import { inTransaction } from '../connection/database.ts';
import { freezeMoment, readFunds, readFundsAt } from './balances.ts';
import { testLedger } from './testing/test-ledger.ts';
import { checkLedger, checkLedgerGrowth } from './upkeep.ts';

/** Number of ledger entries in the cost test. */
const LONG = cases(100_000, 5_000_000);
/** Maximum number of pages that a check of a few new transfers may read; a full check reads many thousands. */
const PAGES_MAX = 1_500;

const ledger = await testLedger(2);
const agent = await ledger.account('proven', 1_000_000n);
const { compute } = ledger;

const brokenRules = (rules: readonly { readonly rule: string; readonly broken: number }[] | null): readonly string[] =>
  (rules ?? []).filter(({ broken }) => broken !== 0).map(({ rule }) => rule);

async function spend(key: string): Promise<void> {
  assert.ok((await ledger.post(ledger.request([agent, compute], 3n, key))).ok);
  const held = await ledger.hold(ledger.request([agent, compute], 5n, `hold ${key}`));
  assert.ok(held.ok && (await ledger.resolve({ holdId: held.holdId, outcome: 'voided', key: `end ${key}` })).ok);
}

/** Damage that a superuser could do to new rows with triggers disabled. */
const DAMAGE: readonly (readonly [rule: string, statement: string])[] = [
  [
    'entries_sum_to_zero',
    `update ledger.entry set amount = amount + 1 where version = (select max(version) from ledger.entry where account_id = $1) and account_id = $1`,
  ],
  ['balance_is_the_sum_of_entries', 'update ledger.account set balance = balance + 1 where account_id = $1'],
  ['versions_are_gapless', 'update ledger.account set version = version + 1 where account_id = $1'],
  [
    'running_balance_is_the_running_sum',
    'update ledger.entry set balance_after = balance_after + 1 where account_id = $1 and version = (select max(version) from ledger.entry where account_id = $1)',
  ],
  [
    'no_overdraft',
    'update ledger.entry set balance_after = -1 where account_id = $1 and version = (select max(version) from ledger.entry where account_id = $1)',
  ],
  [
    'transfer_has_its_two_entries',
    'update ledger.transfer set amount = amount + 1 where transfer_id = (select max(transfer_id::text)::uuid from ledger.transfer)',
  ],
  [
    'entry_has_its_transfer',
    'delete from ledger.transfer where transfer_id = (select max(transfer_id::text)::uuid from ledger.transfer)',
  ],
  ['held_is_the_sum_of_open_holds', 'update ledger.account set held = held + 1 where account_id = $1'],
  ['hold_is_open_or_resolved', "delete from ledger.resolution where outcome = 'voided'"],
  [
    'reversal_mirrors_its_transfer',
    'update ledger.transfer set amount = amount + 1 where transfer_id in (select transfer_id from ledger.reversal)',
  ],
];
const TABLES = ['account', 'transfer', 'entry', 'resolution'] as const;

test('both checks report each kind of damage to new rows until it is repaired', async () => {
  await spend('first');
  assert.deepEqual(brokenRules(await checkLedgerGrowth(ledger.db)), []);
  const undone = await ledger.post(ledger.request([agent, compute], 2n, 'undone'));
  assert.ok(undone.ok && (await ledger.reverse(undone.transferId, 'undo')).ok);
  await spend('second');
  const undo = new Error('undo');
  for (const [rule, statement] of DAMAGE) {
    const damaged = inTransaction(ledger.owner, async (tx) => {
      for (const table of TABLES) await sql`alter table ${sql.id('ledger', table)} disable trigger user`.execute(tx);
      await sql.raw(statement.replaceAll('$1', String(agent))).execute(tx);
      for (let again = 0; again < 2; again += 1)
        assert.ok(brokenRules(await checkLedgerGrowth(tx)).includes(rule), `${rule}, proof ${again + 1}`);
      assert.ok(brokenRules(await checkLedger(tx)).includes(rule), `${rule}, whole ledger`);
      throw undo;
    });
    await assert.rejects(damaged, undo);
  }
  assert.deepEqual(brokenRules(await checkLedgerGrowth(ledger.db)), []);
  const rules = await checkLedger(ledger.db);
  assert.deepEqual(brokenRules(rules), []);
  assert.deepEqual(pluck(rules, 'rule').toSorted(), DAMAGE.map(([rule]) => rule).toSorted());
});

test('only one session checks at a time', async () => {
  await inTransaction(ledger.owner, async (tx) => {
    assert.notEqual(await checkLedgerGrowth(tx), null);
    assert.equal(await checkLedgerGrowth(ledger.db), null);
  });
});

test('both ways to read the held money at a moment agree', async () => {
  const moments: { readonly at: string; readonly held: bigint; readonly balance: bigint }[] = [];
  const open: string[] = [];
  for (let step = 0; step < 12; step += 1) {
    const oldest = step % 3 === 2 ? open.shift() : undefined;
    if (oldest === undefined) {
      const held = await ledger.hold(ledger.request([agent, compute], BigInt(7 + step), `moment ${step}`));
      assert.ok(held.ok);
      open.push(held.holdId);
    } else {
      const outcome = step % 2 === 0 ? 'posted' : 'voided';
      await ledger.resolve({ holdId: oldest, outcome, key: `moment end ${step}` });
    }
    const now = await readFunds(ledger.db, agent);
    moments.push({ at: await freezeMoment(ledger.db, agent, null), held: now.held, balance: now.balance });
  }
  for (const { at, held, balance } of moments) {
    const then = await readFundsAt(ledger.db, agent, at);
    assert.deepEqual({ held: then.held, balance: then.balance }, { held, balance }, at);
  }
});

/** Pages of the ledger's tables and indexes that Postgres has read so far. */
async function pagesRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(ledger.owner);
  await sql`select 1`.execute(ledger.owner);
  const { rows } = await sql<{ pages: number }>`
    select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0))::bigint as pages
    from pg_statio_user_tables where schemaname = 'ledger'`.execute(ledger.owner);
  return Number(rows[0]?.pages);
}

/** Fills the ledger with a year of transfers between two accounts of the village. */
async function lengthen(entries: number): Promise<void> {
  await inTransaction(ledger.owner, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`
      with place as (select ledger.open_account('long_payer', '', 1, true) as payer, ledger.open_account('long_payee', '', 1, true) as payee),
      made as materialized (
        select i, payer, payee, (lpad(to_hex(1700000000000 + i), 12, '0') || '7000800000000000' || lpad(to_hex(i & 65535), 4, '0'))::uuid as id
        from place, generate_series(1, ${entries / 2}::int) i
      ),
      t as (insert into ledger.transfer select id, 'long ' || i, '\\x00', 'adjustment', payer, i, payee, i, 1, 'test', '', '2023-11-15', '2023-11-15', 'system', 'test', 1, null from made)
      insert into ledger.entry
      select payer, i, id, -1, -i, true, '2023-11-15'::timestamptz from made union all select payee, i, id, 1, i, true, '2023-11-15'::timestamptz from made`.execute(
      tx,
    );
    await sql`update ledger.account set version = ${entries / 2}::bigint, balance = ${entries / 2}::bigint * case book when 'long_payer' then -1 else 1 end
      where book like 'long_%'`.execute(tx);
  });
  await sql`vacuum analyze ledger.transfer`.execute(ledger.owner);
  await sql`vacuum analyze ledger.entry`.execute(ledger.owner);
}

test('in a long ledger, the check of new entries and the funds at a moment read few pages', async () => {
  await lengthen(LONG);
  await sql`set statement_timeout = 0`.execute(ledger.owner);
  assert.deepEqual(brokenRules(await checkLedgerGrowth(ledger.owner)), []);
  await sql`update ledger.proof set since = now()`.execute(ledger.owner);
  const moment = await freezeMoment(ledger.owner, agent, null);
  for (let count = 0; count < 10; count += 1) await spend(`late ${count}`);
  const before = await pagesRead();
  assert.deepEqual(brokenRules(await checkLedgerGrowth(ledger.owner)), []);
  const proven = await pagesRead();
  await readFundsAt(ledger.owner, agent, moment);
  const read = await pagesRead();
  assert.ok(proven - before < PAGES_MAX, `the check of ten transfers read ${proven - before} pages of ${LONG} entries`);
  assert.ok(read - proven < PAGES_MAX, `funds at a moment read ${read - proven} pages of ${LONG} entries`);
  assert.deepEqual(brokenRules(await checkLedger(ledger.owner)), []);
});
