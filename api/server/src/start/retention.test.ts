/** The API deletes texts of old turns in batches, once. Rows, leaves, proofs and the verification of the log do not change. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { dropTurnTexts, openDatabase, readLogHead, recordTurn } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { gatherReference, keyOf, readKept, verifyLog, villageSource } from 'hamlet-verify';
import { untilEnd } from '@hamlet/test/env/at-end';
import { eventually, TOKENS, testVillage, Play } from '../testing/test-village.ts';
import { dropOldTexts, retentionJobs } from './retention.ts';

const DAY_MS = 86_400_000;
const OLD = 1_200;
const NEW = 3;

const village = await testVillage();
const db = village.openDb();
const superuser = untilEnd(openSuperuser(village.postgres));
await village.migrate();
const app = untilEnd(
  openDatabase({
    url: village.environment['HAMLET_POSTGRES_URL'] ?? '',
    poolSize: 4,
    onError: () => undefined,
  }),
);
await writeOldTurns();
// This replica keeps texts permanently, so that only the test runs the deletion.
const { peopleUrl: url } = await village.startReplica({ HAMLET_TURN_DAYS: '0' });
for (let cycle = 0; cycle < NEW; cycle += 1)
  await recordTurn(
    app,
    { agentId: 'ada', uid: 'life-1' },
    {
      turn_id: randomUUID(),
      cycle,
      trigger: 'tick',
      perceived: {},
      decided: { why: 'new' },
      acted: {},
      reflected: {},
    },
  );
await eventually('every row to be sealed', sealedWhole);

/** Writes old turns. Only the owner of the schema can set the time of a turn. */
async function writeOldTurns(): Promise<void> {
  await superuser.run(`insert into turn (turn_id, agent_id, uid, cycle, recorded_at, turn)
    select t.id, 'ada', 'life-1', n, now() - interval '40 days' + n * interval '1 second',
      jsonb_build_object('turn_id', t.id, 'cycle', n, 'trigger', 'tick', 'perceived', jsonb_build_object('seen', repeat('é"', n % 50)), 'decided', jsonb_build_object('why', 'old'), 'acted', '{}'::jsonb, 'reflected', '{}'::jsonb)
    from generate_series(1, ${OLD}) n, lateral (select gen_random_uuid() as id where n > 0) t`);
}

async function sealedWhole(): Promise<boolean> {
  const [row] = await superuser.run('select count(*)::integer as n from log.leaf');
  return (await readLogHead(db)).size === row?.['n'];
}

async function leavesOfTurns(): Promise<unknown> {
  return superuser.run(
    "select count(*)::integer as n, encode(sha256(string_agg(leaf, '' order by xact, id)), 'hex') as hash from log.leaf where kind = 3",
  );
}

async function texts(): Promise<unknown> {
  const [row] = await superuser.run(
    'select count(*) filter (where turn is not null)::integer as kept, count(text_sha256)::integer as dropped from turn',
  );
  return row;
}

test('a batch has a limited size, is one act in the audit, and takes the oldest turns', async () => {
  const before = new Date(Date.now() - 30 * DAY_MS);
  assert.equal(await dropTurnTexts(app, { before, atMost: 10 }), 10);
  assert.deepEqual(await texts(), { kept: OLD + NEW - 10, dropped: 10 });
  assert.deepEqual(await superuser.run('select max(cycle)::integer as newest from turn where turn is null'), [
    { newest: 10 },
  ]);
  assert.deepEqual(await superuser.run("select detail->'turns' as turns from audit where action = 'turn.drop_texts'"), [
    { turns: 10 },
  ]);
});

test('concurrent replicas delete all old texts and keep new ones; a second round finds nothing', async () => {
  const leaves = await leavesOfTurns();
  const rounds = await Promise.all([0, 1, 2].map(() => dropOldTexts(app, { days: 30, now: new Date() })));
  const rest = await dropOldTexts(app, { days: 30, now: new Date() });
  assert.equal(
    rounds.reduce((sum, each) => sum + each, rest),
    OLD - 10,
  );
  assert.equal(await dropOldTexts(app, { days: 30, now: new Date() }), 0);
  assert.deepEqual(await texts(), { kept: NEW, dropped: OLD });
  assert.deepEqual(await leavesOfTurns(), leaves, 'leaves do not change');
  const page = await new Play(url).admin.listTurns({ agent_id: 'ada' });
  assert.deepEqual([page.turns.map(({ decided }) => decided.why), page.next_cursor], [['new', 'new', 'new'], null]);
});

test('the log without the texts verifies completely', async () => {
  await eventually('every row to be sealed', sealedWhole);
  const [source, outside] = [
    villageSource(url, TOKENS.admin),
    await readKept(village.environment['HAMLET_LOG_DIR'] ?? ''),
  ];
  const verdict = await verifyLog(source, await gatherReference(source, outside, keyOf(outside.key ?? '')));
  assert.ok(verdict.ok, JSON.stringify(verdict));
});

test('verification finds a changed text even with the original hash beside it', async () => {
  const leaves = await leavesOfTurns();
  await superuser.run('begin');
  try {
    await superuser.run('alter table turn drop constraint text_or_hash');
    await superuser.run('alter table turn disable trigger text_goes');
    await superuser.run(
      "update turn set text_sha256 = sha256(convert_to(turn::text, 'UTF8')), turn = turn || '{\"forged\": true}' where turn is not null",
    );
    assert.notDeepEqual(await leavesOfTurns(), leaves);
  } finally {
    await superuser.run('rollback');
  }
});

test('no role can change the text or the hash of a turn, or delete a text of the last day', async () => {
  const [kept] = await superuser.run('select turn_id from turn where turn is not null limit 1');
  const id = String(kept?.['turn_id']);
  for (const change of [
    "turn = '{}'",
    "turn = null, text_sha256 = sha256('x')",
    'turn = null',
    "agent_id = 'bob'",
    "turn = null, text_sha256 = sha256(convert_to(turn::text, 'UTF8')), agent_id = 'bob'",
  ])
    await assert.rejects(superuser.run(`update turn set ${change} where turn_id = '${id}'`), { code: '42501' }, change);
  await assert.rejects(superuser.run(`update turn set turn = '{}', text_sha256 = null where turn is null`), {
    code: '42501',
  });
  await assert.rejects(superuser.run('delete from turn'), { code: '42501' });
  await assert.rejects(dropTurnTexts(app, { before: new Date(), atMost: 10 }), /texts of the last day stay/);
  await assert.rejects(dropTurnTexts(app, { before: new Date(0), atMost: 10_001 }), /1 to 10000/);
});

test('the job follows the setting: 0 days keep all texts, 30 days drop the old ones in its next run', async () => {
  let days = 0;
  const jobs = retentionJobs({ db: app, turnDays: () => days, log: () => undefined });
  const drop = jobs.find(({ name }) => name === 'turn-retention');
  await writeOldTurns();
  await drop?.run();
  assert.deepEqual(await texts(), { kept: NEW + OLD, dropped: OLD });
  days = 30;
  await drop?.run();
  assert.deepEqual(await texts(), { kept: NEW, dropped: OLD + OLD });
});
