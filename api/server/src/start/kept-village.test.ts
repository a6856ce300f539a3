/** A village with data of an earlier version is upgraded: every later migration applies, and the village works with its old data. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { API_PREFIX, parseAiDollars } from '@hamlet/contract';
import { readLogHead } from '@hamlet/store';
import { copyKeptLog, loadKeptVillage } from '@hamlet/test/env/kept-village';
import { gatherReference, keyOf, readKept, verifyLog, villageSource } from 'hamlet-verify';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { signIn } from '../testing/play/people-play.ts';
import { eventually, TOKENS, ownVillage, Play } from '../testing/test-village.ts';
import { assertBooks } from '../money/testing/purse-play.ts';

/** The content of the loaded database before the first migration. */

async function countRows(): Promise<readonly { readonly table: string; readonly rows: number }[]> {
  const tables = [
    'ledger.transfer',
    'ledger.entry',
    'ledger.hold',
    'ledger.reversal',
    'board.post',
    'board.reply',
    'board.revision',
    'board.moderation',
    'audit',
    'turn',
    'world_event',
    'account',
    'account_ban',
    'deposit',
    'paypal_event',
    'provider_transaction',
    'auction',
    'bid',
    'purchase',
    'run',
    'firing',
    'standing_measure',
    'model_request',
    'log.checkpoint',
  ];
  return Promise.all(
    tables.map(async (table) => ({
      table,
      rows: Number((await superuser.run(`select count(*) as rows from ${table}`))[0]?.['rows']),
    })),
  );
}

const village = await ownVillage('empty');
const db = village.openDb();
const { lastMigration: lastKept } = await loadKeptVillage(village.postgres);
const folder = join(village.environment['HAMLET_LOG_DIR'] ?? '', '..', 'kept-log');
await copyKeptLog(folder);
const superuser = untilEnd(openSuperuser(village.postgres));
const rows = await superuser.run("select owner, balance::text from ledger.account where book = 'agent'");
const balances: readonly { readonly owner: string; readonly micro: bigint }[] = rows.map(({ owner, balance }) => ({
  owner: String(owner),
  micro: BigInt(String(balance)),
}));
const counts = await countRows();
const { size: sealedSize } = await readLogHead(db);
const { peopleUrl: url, metricsUrl } = await village.startReplica({ HAMLET_LOG_DIR: folder });
const play = new Play(url);

test('all later migrations apply, and no row is lost', async () => {
  const rows = await superuser.run('select name from schema_migration order by name');
  const landed = (await readFile(join(import.meta.dirname, '../../../store/migrations/landed.sha256'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1]);
  assert.deepEqual(pluck(rows, 'name'), landed.toSorted());
  assert.ok(landed.includes(lastKept));
  const now = new Map((await countRows()).map(({ table, rows: count }) => [table, count]));
  for (const { table, rows: before } of counts) {
    assert.ok(before > 0, `the dump has rows of ${table}`);
    assert.ok((now.get(table) ?? 0) >= before, table);
  }
});

test('people sign in after the upgrade and can read their data', async () => {
  const grace = await signIn(url, 'Grace');
  for (const { owner, micro } of balances)
    assert.equal(parseAiDollars((await grace.client.getBalance({ agent_id: owner })).balance), micro, owner);
  assert.ok((await grace.client.getLedger({ agent_id: 'bob' })).entries.length > 2);
  assert.ok(
    (await grace.client.listPosts()).posts.some(({ title, replies }) => title === 'Who bakes bread?' && replies === 2),
  );
  assert.deepEqual(pluck((await grace.client.listTurns({ agent_id: 'ada' })).turns, 'decided'), [{ why: 'hungry' }]);
  assert.ok((await grace.client.listRuns()).runs.length >= 3);
  assert.equal((await grace.client.listAuctions()).auctions.length, 2);
  assert.ok((await play.as('bob').listPurchases()).purchases.length >= 1);
  assert.equal((await grace.client.getAgent({ agent_id: 'fay' })).agent_id, 'fay');
  const answer = await fetch(`${url}${API_PREFIX}/audit?kind=act&q=freeze`, {
    headers: { authorization: `Bearer ${TOKENS.admin}` },
  });
  assert.equal(answer.status, 200);
});

test('money, posts and walks work, and the books violate no rule', async () => {
  const before = (await play.admin.getBalance({ agent_id: 'cleo' })).balance;
  await play.admin.rewardAgent({ agent_id: 'cleo', amount: '2', reason: 'for going on' });
  assert.equal(Number((await play.admin.getBalance({ agent_id: 'cleo' })).balance), Number(before) + 2);
  await play.as('ada').createPost({ title: 'Still here', body: 'After the move.' });
  await eventually('ada in the world', async () =>
    (await play.world()).agents.some(({ agent_id }) => agent_id === 'ada'),
  );
  dataOf(await play.move('ada', { dx: 0, dy: 1 }));
  await assertBooks(db);
});

test('the sealed log continues from the old checkpoint and verifies completely', async () => {
  const { size } = await eventually('the log to grow', async () => {
    const head = await readLogHead(db);
    return head.size > sealedSize && (await readFile(join(folder, 'checkpoint'), 'utf8')) === head.note && head;
  });
  assert.ok(size > sealedSize);
  const [source, outside] = [villageSource(url, TOKENS.admin), await readKept(folder)];
  const verdict = await verifyLog(source, await gatherReference(source, outside, keyOf(outside.key ?? '')));
  assert.ok(verdict.ok, JSON.stringify(verdict));
  assert.match(await (await fetch(`${metricsUrl}/metrics`)).text(), /^hamlet_log_broken 0$/m);
});
