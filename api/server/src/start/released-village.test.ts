/** A village of the release 0.1.0 is upgraded: its people find everything again, and a run that waited continues. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAiDollars } from '@hamlet/contract';
import { checkLedgerGrowth, readLogHead } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { copyKeptLog, loadKeptVillage } from '@hamlet/test/env/kept-village';
import { pluck } from '@hamlet/test/env/pluck';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { gatherReference, keyOf, readKept, verifyLog, villageSource } from 'hamlet-verify';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { assertBooks } from '../money/testing/purse-play.ts';
import { startCallMind } from '../runs/testing/call-mind.ts';
import { signIn } from '../testing/play/people-play.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { testResidents } from '../testing/resident-process.ts';
import { eventually, ownVillage, TOKENS } from '../testing/test-village.ts';

const village = await ownVillage('empty');
await loadKeptVillage(village.postgres, 'village-0057');
const folder = join(village.environment['HAMLET_LOG_DIR'] ?? '', '..', 'kept-log');
await copyKeptLog(folder, 'village-0057');
const db = village.openDb();
const superuser = untilEnd(openSuperuser(village.postgres));

/** Rows of every table, by its name with the schema. */
async function countRows(): Promise<ReadonlyMap<string, number>> {
  const tables = await superuser.run(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'ledger', 'board', 'log')",
  );
  const counts = new Map<string, number>();
  for (const name of pluck(tables, 'name'))
    counts.set(String(name), Number((await superuser.run(`select count(*) as n from ${String(name)}`))[0]?.['n']));
  return counts;
}

const balancesOf = () => superuser.run('select book, owner, balance::text from ledger.account order by book, owner');

// The agent asked on the day of the dump; a request lapses after a day.
await superuser.run(`alter table permission disable trigger goes_forward;
  update permission set expires_at = now() + interval '1 day' where state = 'pending';
  alter table permission enable always trigger goes_forward`);
const before = { rows: await countRows(), balances: await balancesOf(), sealed: await readLogHead(db) };
await village.migrate();
const after = { rows: await countRows(), balances: await balancesOf() };
const mind = untilEnd(await startCallMind());
const { peopleUrl: url, metricsUrl } = await village.startReplica(
  { HAMLET_LOG_DIR: folder },
  { models: wireModels(mind.url) },
);
const runs = new RunPlay(url);
const residents = testResidents(runs.play);
const { client: grace } = await signIn(url, 'Grace');

test('the migrations lose no row and move no money', async () => {
  const landed = await readFile(join(import.meta.dirname, '../../../store/migrations/landed.sha256'), 'utf8');
  const applied = pluck(await superuser.run('select name from schema_migration order by name'), 'name');
  assert.deepEqual(applied, [...landed.matchAll(/ {2}(\S+)$/gm)].map(([, name]) => name).toSorted());
  assert.ok([...before.rows.values()].filter((count) => count > 0).length > 60, 'the village had lived');
  for (const [table, count] of before.rows) assert.ok((after.rows.get(table) ?? 0) >= count, table);
  assert.deepEqual(after.balances, before.balances);
  await assertBooks(db);
});

test('a person finds agents, conversation, deliverable, personality, script, post and money again', async () => {
  assert.equal((await grace.getAgent({ agent_id: 'ada' })).agent_id, 'ada');
  assert.deepEqual(pluck((await grace.getStanding({ agent_id: 'dan' })).measures, 'reason'), ['it sings at night']);
  const [session] = (await grace.listAgentSessions({ agent_id: 'ada' })).sessions;
  assert.ok(session !== undefined);
  const { messages } = await grace.listMessages({ session_id: session.session_id, limit: 100 });
  assert.ok(messages.some(({ text }) => /^The results: Exit code 0[^]*42 loaves/.test(text)));
  const { artifacts } = await grace.listAgentArtifacts({ agent_id: 'ada' });
  const recipe = artifacts.find(({ name }) => name === 'recipe.md');
  assert.ok(recipe !== undefined);
  const content = await grace.getArtifactContent({ artifact_id: recipe.artifact_id });
  assert.match(Buffer.from(content).toString(), /Flour, water, salt/);
  assert.ok((await grace.listPersonality({ agent_id: 'ada' })).history.some(({ text }) => /before noon/.test(text)));
  assert.deepEqual(pluck((await grace.listScripts({ agent_id: 'ada' })).scripts, 'name'), ['count-loaves']);
  assert.ok((await grace.listPosts()).posts.some(({ title }) => title === 'Bread at noon'));
  assert.ok((await grace.listOffers()).offers.some(({ amount, state }) => amount === '3' && state === 'paid'));
  for (const { owner, balance } of before.balances.filter(({ book }) => book === 'agent'))
    assert.equal(
      parseAiDollars((await grace.getBalance({ agent_id: String(owner) })).balance),
      BigInt(String(balance)),
      String(owner),
    );
});

test('a run that waited for an answer continues with the agent of today, from the journal of 0.1.0', async () => {
  const asked = (await grace.listPermissions()).permissions.find(({ answered_at }) => answered_at === null);
  assert.ok(asked !== undefined);
  await grace.answerPermission({ permission_id: asked.permission_id, answer: 'allow', reply: 'Grace does.' });
  await residents.start('ada');
  const run = await runs.ended(asked.run_id);
  assert.deepEqual([run.state, run.error], ['done', null]);
  assert.match(run.summary ?? '', /Grace does\./);
});

test('the sealed log continues, and verifies from its first entry', async () => {
  const [{ size }, all] = [
    before.sealed,
    async () => Number((await superuser.run('select count(*) as n from log.leaf'))[0]?.['n']),
  ];
  await eventually('every row to be sealed', async () => {
    const head = await readLogHead(db);
    return (
      head.size > size &&
      head.size === (await all()) &&
      (await readFile(join(folder, 'checkpoint'), 'utf8')) === head.note
    );
  });
  const [source, outside] = [villageSource(url, TOKENS.admin), await readKept(folder)];
  const verdict = await verifyLog(source, await gatherReference(source, outside, keyOf(outside.key ?? '')));
  assert.ok(verdict.ok, JSON.stringify(verdict));
  const grown = await eventually('the proof of the ledger', () => checkLedgerGrowth(db));
  assert.ok(grown.every(({ broken }) => broken === 0));
  assert.match(await (await fetch(`${metricsUrl}/metrics`)).text(), /^hamlet_log_broken 0$/m);
});
