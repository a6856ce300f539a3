/** Backup and restore on a real Postgres, a real api and a real folder of the sealed log; only Kubernetes is simulated. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { firstAdmin, invite } from '../../api/server/src/testing/play/people-play.ts';
import { clientOf, eventually } from '../../api/server/src/testing/test-village.ts';
import { backup } from '../../local/village/backup/backup.ts';
import { psql, swap } from '../../local/village/backup/database.ts';
import { restore } from '../../local/village/backup/restore.ts';
import { startBackupVillage } from './backup-village.ts';

const { village, folder, place, stateOf, setState, start, initialize } = await startBackupVillage();
untilEnd(village);
await initialize();
let api = await start();

const balance = async (): Promise<number> => Number((await api.play.admin.getBalance({ agent_id: 'cleo' })).balance);
const reward = async (amount: string): Promise<void> =>
  void (await api.play.admin.rewardAgent({ agent_id: 'cleo', amount, reason: 'a test' }));
const sealed = async (): Promise<boolean> =>
  (await readFile(join(folder, 'log/checkpoint'), 'utf8').catch(() => '')).split('\n')[1] !== undefined;

/** More acts than a restore lists. */
const ACTS_OF_OTHERS = `insert into audit (audit_id, actor_role, actor_id, action, object, detail, request_id)
  select id, 'admin', 'grace', 'kill', 'agent ' || id, '{}', id
  from (select gen_random_uuid() as id from generate_series(1, 50)) ids`;

/** Mail and two browsers of a person. */
const noticesOf = (
  accountId: string,
): string => `insert into notice_target (account_id, way, address, name, wants, leave_token, p256dh, auth) values
  ('${accountId}', 'mail', 'grace@example.org', 'mail', 'needs', repeat('x', 43), null, null),
  ('${accountId}', 'push', 'https://push.example.org/1', 'phone', 'needs', null, repeat('x', 87), repeat('x', 22)),
  ('${accountId}', 'push', 'https://push.example.org/2', 'desktop', 'needs', null, repeat('x', 87), repeat('x', 22))`;
const GONE_BROWSER = "delete from notice_target where name = 'phone'";

const accepts = async (key: string): Promise<boolean> => (await clientOf(api.play.url, key).raw.getMe()).ok;

test('restore removes the data written after the backup, and the sealed log continues', async (context) => {
  await reward('3');
  const grace = await firstAdmin(api.play.url);
  const max = await invite(grace, api.play.url, { name: 'Max', role: 'member' });
  const lea = await invite(grace, api.play.url, { name: 'Lea', role: 'member' });
  const kept = await grace.client.createMyKey({ name: 'kept', scopes: ['read'], days: 1 });
  const revoked = await grace.client.createMyKey({ name: 'revoked', scopes: ['read'], days: 1 });
  await psql(place, {}, noticesOf(grace.accountId));
  await eventually('a checkpoint', sealed);
  const then = await balance();
  const file = await backup(place, join(folder, 'village.tar'));
  await reward('40');
  await grace.client.revokeMyKey({ key_id: revoked.key.key_id });
  await psql(place, {}, "update notice_target set wants = 'off' where way = 'mail'", GONE_BROWSER);
  const ofLea = `where account_id = '${lea.accountId}'`;
  await psql(place, {}, `delete from account_hand ${ofLea}`, `delete from account ${ofLea}`, ACTS_OF_OTHERS);
  for (let time = 0; time < 2; time += 1) {
    await api.play.admin.freezeAgent({ agent_id: 'cleo', reason: 'a drill' });
    await api.play.admin.liftFreeze({ agent_id: 'cleo' });
  }
  await grace.client.banAccount({ account_id: max.accountId, reason: 'Rude.' });
  await api.play.admin.createPost({ title: 'Later', body: 'Written after the backup.' });
  assert.equal(await balance(), then + 40);
  await setState({ key: 'another key', resources: { items: (await stateOf()).resources.items.slice(0, 1) } });

  await assert.rejects(restore(place, { file }, { yes: false }), /confirmation needs a terminal.*nothing was changed/);
  assert.deepEqual((await stateOf()).done, [], 'a refusal changes nothing');
  await assert.rejects(
    restore({ ...place, namespace: 'meadow' }, { file }, { yes: true }),
    /the backup is of namespace hamlet/,
  );

  const { mock } = context.mock.method(console, 'log', () => undefined);
  const restoring = restore(place, { file }, { yes: true });
  restoring.catch(() => undefined);
  await eventually('the apis to be ended', async () => (await stateOf()).replicas['hamlet-api'] === 0);
  await api.stop();
  await eventually('the apis to be started', async () => (await stateOf()).replicas['hamlet-api'] === 1);
  api = await start();
  await restoring;
  assert.equal(await balance(), then);
  assert.deepEqual([await accepts(kept.token), await accepts(revoked.token)], [true, false]);
  const wants = "select coalesce(string_agg(name, ','), '') from notice_target where wants <> 'off'";
  assert.equal(await psql(place, {}, wants), 'desktop', 'the village writes to no address that was left since');
  const printed = mock.calls.map(({ arguments: [line] }) => String(line)).join('\n');
  assert.match(printed, /It undoes these acts; repeat those that still hold:\n.* UTC {2}account\.ban {2}Max\n/);
  assert.equal(printed.match(/ freeze {2}cleo\n/g)?.length, 1, 'a repeated act is one line');
  assert.match(printed, /1 of accounts that this village does not know come back/);
  assert.match(printed, /\nand older ones: read them on the page Audit/);
  const { records } = dataOf(await api.play.admin.raw.listAudit({ action: 'log.restore' }));
  assert.equal(records.length, 1, 'the log says that it was restored');
  const { replicas, key, resources, done } = await stateOf();
  assert.deepEqual(replicas, { 'hamlet-operator': 2, 'hamlet-api': 1, 'hamlet-api-more': 1 });
  assert.deepEqual([key, resources.items.map(({ metadata }) => metadata.name)], ['the key', ['ada', 'bob']]);
  assert.ok(done.some((each) => each.startsWith('delete pod hamlet-redis-0')));
  await rm(file);
});

test('a swap of databases happens as a whole or not at all: the village never lacks its database', async () => {
  await api.stop();
  // No database is loaded beside the village's.
  await assert.rejects(swap(place), /hamlet_restored.*does not exist/s);
  assert.equal(await psql(place, {}, 'select current_database()'), 'hamlet');
});
