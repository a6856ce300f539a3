/**
 * A village whose dump is loaded into a new Postgres cluster continues, even twice: its sealed log verifies from its
 * first entry.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLedgerGrowth, isClusterBehind, openDatabase, readLogHead, type Db } from '@hamlet/store';
import { copyKeptLog, loadKeptVillage, type KeptVillageName } from '@hamlet/test/env/kept-village';
import { openSuperuser, type Superuser } from '@hamlet/test/env/superuser';
import { gatherReference, keyOf, readKept, verifyLog, villageSource } from 'hamlet-verify';
import { atEnd } from '@hamlet/test/env/at-end';
import { createLog } from '../service/log.ts';
import { eventually, TOKENS, type OwnVillage, ownVillage, Play } from '../testing/test-village.ts';
import { waitForSchema } from './schema.ts';
import { assertBooks } from '../money/testing/purse-play.ts';

interface Restored {
  readonly village: OwnVillage;
  readonly db: Db;
  readonly superuser: Superuser;
  readonly folder: string;
}

const names: readonly KeptVillageName[] = ['village-0011', 'village-0022'];
const restored = new Map<KeptVillageName, Restored>();

for (const name of names) {
  const village = await ownVillage('empty');
  await loadKeptVillage(village.postgres, name);
  const folder = join(village.environment['HAMLET_LOG_DIR'] ?? '', '..', 'kept-log');
  await copyKeptLog(folder, name);
  restored.set(name, { village, db: village.openDb(), superuser: openSuperuser(village.postgres), folder });
}
atEnd(async () => {
  for (const { village, superuser } of restored.values()) {
    await superuser.close();
    await village.remove();
  }
});

function restoredOf(name: KeptVillageName): Restored {
  const found = restored.get(name);
  assert.ok(found !== undefined);
  return found;
}

async function numberOf(superuser: Superuser, expression: string): Promise<bigint> {
  return BigInt(String((await superuser.run(`select (${expression})::text as n`))[0]?.['n']));
}

/** Keeps a session of the API's role open during `work`. */
async function whileAppIsConnected(village: OwnVillage, work: (app: Db) => Promise<void>): Promise<void> {
  const app = openDatabase({
    url: village.environment['HAMLET_POSTGRES_URL'] ?? '',
    poolSize: 1,
    onError: () => undefined,
  });
  try {
    await work(app);
  } finally {
    await app.destroy();
  }
}

test('the takeover of a cluster requires that no API is connected, and an API waits for the takeover', async () => {
  const { village, db, superuser } = restoredOf('village-0022');
  assert.equal(await isClusterBehind(db), true, 'the dump has greater transaction numbers than this cluster');
  const before = await numberOf(superuser, 'log.xact_offset()');
  assert.ok(before > 0n, 'the dump comes from a village that was restored before');
  await whileAppIsConnected(village, async (app) => {
    assert.equal(await isClusterBehind(app), true);
    await assert.rejects(village.migrate(), /1 sessions of the role app are connected.*scale the api to 0/);
  });
  assert.equal(await numberOf(superuser, 'log.xact_offset()'), before, 'a refusal changes nothing');
  const lines: string[] = [];
  const waiting = waitForSchema(
    db,
    createLog((line) => void lines.push(line), 'info'),
  );
  await eventually('the api to wait', () => lines.some((line) => line.includes('loaded from a dump')));
  await eventually('the migration to take the village over', async () => {
    await Promise.all([village.migrate(), village.migrate()]);
    return true;
  });
  await waiting;
  assert.equal(await isClusterBehind(db), false);
  assert.equal(
    await numberOf(superuser, "select count(*) from audit where action = 'log.restore'"),
    2n,
    'the audit has one act for each takeover',
  );
});

for (const name of names)
  test(`${name} works in a new cluster, and its sealed log continues`, async () => {
    const { village, db, superuser, folder } = restoredOf(name);
    const sealed = await readLogHead(db);
    const leaves = `select string_agg(sha256(leaf), '' order by xact, kind, id)::text as h from log.leaf where (xact, kind, id) <= (${sealed.last.xact}, ${sealed.last.kind}, '${sealed.last.id}')`;
    const leavesBefore = await superuser.run(leaves);
    const { peopleUrl, metricsUrl } = await village.startReplica({ HAMLET_LOG_DIR: folder });
    const play = new Play(peopleUrl);
    const balance = Number((await play.admin.getBalance({ agent_id: 'cleo' })).balance);
    await play.admin.rewardAgent({ agent_id: 'cleo', amount: '2', reason: 'for going on' });
    await play.as('ada').createPost({ title: 'Still here', body: 'After the restore.' });
    assert.equal(Number((await play.admin.getBalance({ agent_id: 'cleo' })).balance), balance + 2);
    await eventually('every row to be sealed', async () => {
      const head = await readLogHead(db);
      return (
        head.size > sealed.size + 1 &&
        BigInt(head.size) === (await numberOf(superuser, 'select count(*) from log.leaf')) &&
        (await readFile(join(folder, 'checkpoint'), 'utf8')) === head.note
      );
    });
    assert.deepEqual(await superuser.run(leaves), leavesBefore, 'the leaves of sealed rows are the same');
    const beneath = `select count(*) from log.leaf where xact <= ${sealed.last.xact} and (xact, kind, id) > (${sealed.last.xact}, ${sealed.last.kind}, '${sealed.last.id}')`;
    assert.equal(await numberOf(superuser, beneath), 0n, 'no new row has an old number');
    const [source, outside] = [villageSource(peopleUrl, TOKENS.admin), await readKept(folder)];
    const verdict = await verifyLog(source, await gatherReference(source, outside, keyOf(outside.key ?? '')));
    assert.ok(verdict.ok, JSON.stringify(verdict));
    await assertBooks(db);
    const grown = await eventually('the proof of the new entries', () => checkLedgerGrowth(db));
    assert.ok(grown.every(({ broken }) => broken === 0));
    assert.match(await (await fetch(`${metricsUrl}/metrics`)).text(), /^hamlet_log_broken 0$/m);
  });
