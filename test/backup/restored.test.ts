/** Backup and restore on a real Postgres, a real api and a real folder of the sealed log; only Kubernetes is simulated. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { migrate } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { eventually, startOwnVillage, type TestVillage, Play } from '../../api/server/src/testing/test-village.ts';
import { backup } from '../../local/village/backup/backup.ts';
import { restore } from '../../local/village/backup/restore.ts';
import { hostArchitecture } from '../../local/village/images/architecture.ts';
import { postgresClients } from '../../local/village/images/postgres-clients.ts';
import type { Place } from '../../local/village/kubectl.ts';
import { NODE, stateFile } from '../../local/village/paths.ts';

type Replica = Awaited<ReturnType<TestVillage['startReplica']>>;

let village: TestVillage;
let folder: string;
let place: Place;
let replica: Replica;
let play: Play;
const databaseUrl = (user: string): string => village.postgres.url('hamlet').replace('postgres:hamlet@', `${user}@`);

interface State {
  readonly replicas: Readonly<Record<string, number>>;
  readonly resources: { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  readonly key: string;
  readonly done: readonly string[];
}

const stateOf = async (): Promise<State> => JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')) as State;
const setState = async (change: object): Promise<void> =>
  writeFile(join(folder, 'state.json'), JSON.stringify({ ...(await stateOf()), ...change }));
const agent = (name: string): object => ({
  apiVersion: 'hamlet.village/v1alpha1',
  kind: 'Agent',
  metadata: { name },
  spec: {},
});

async function start(): Promise<void> {
  replica = await village.startReplica({
    HAMLET_POSTGRES_URL: databaseUrl('app:app'),
    HAMLET_LOG_DIR: join(folder, 'log'),
  });
  play = new Play(replica.peopleUrl);
  // The port has its own file, because the restore owns the state file.
  const file = join(folder, 'state.json.port');
  await writeFile(`${file}.new`, new URL(replica.metricsUrl).port);
  await rename(`${file}.new`, file);
}

before(async () => {
  village = await startOwnVillage();
  folder = join(village.samples, 'backup');
  await mkdir(join(folder, 'log'), { recursive: true });
  const superuser = openSuperuser(village.postgres);
  for (const statement of [
    "create role owner login password 'owner'",
    "create role reader login password 'reader'",
    "create role app login password 'app'",
    'create database hamlet',
  ])
    await superuser.run(statement).catch(() => undefined);
  await superuser.close();
  await migrate({ ownerUrl: databaseUrl('postgres:hamlet'), appUrl: databaseUrl('app:app') });
  const clients = await postgresClients(hostArchitecture(), {
    log: stateFile('log', 'test-backup.log'),
    doing: () => undefined,
  });
  const { hostname, port } = new URL(village.postgres.url());
  const program = join(folder, 'kubectl');
  const environment = {
    PATH: `${join(clients, 'bin')}:${process.env['PATH'] ?? ''}`,
    PGHOST: hostname,
    PGPORT: port,
    POSTGRES_PASSWORD: 'hamlet',
    PRETEND_STATE: join(folder, 'state.json'),
  };
  const exports = Object.entries(environment)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('\n');
  await writeFile(
    program,
    `#!/bin/sh\n${exports}\nexec ${NODE} ${join(import.meta.dirname, 'pretend-kubectl.ts')} "$@"\n`,
  );
  await chmod(program, 0o755);
  await writeFile(
    join(folder, 'state.json'),
    JSON.stringify({
      logFolder: join(folder, 'log'),
      replicas: { 'hamlet-operator': 2, 'hamlet-api': 1, 'hamlet-api-more': 1 },
      annotations: {},
      key: 'the key',
      resources: { items: [agent('ada'), agent('bob')] },
      done: [],
    }),
  );
  place = { kubectl: program, helm: 'helm', kubeconfig: undefined, namespace: 'hamlet' };
  await start();
});
after(() => village.remove());

const balance = async (): Promise<number> => Number((await play.admin.getBalance({ agent_id: 'cleo' })).balance);
const reward = async (amount: string): Promise<void> =>
  void (await play.admin.rewardAgent({ agent_id: 'cleo', amount, reason: 'a test' }));
const sealed = async (): Promise<boolean> =>
  (await readFile(join(folder, 'log/checkpoint'), 'utf8').catch(() => '')).split('\n')[1] !== undefined;

test('restore removes the data written after the backup, and the sealed log continues', async () => {
  await reward('3');
  await eventually('a checkpoint', sealed);
  const then = await balance();
  const file = await backup(place, join(folder, 'village.tar'));
  await reward('40');
  await play.admin.createPost({ title: 'Later', body: 'Written after the backup.' });
  assert.equal(await balance(), then + 40);
  await setState({ key: 'another key', resources: { items: [agent('ada')] } });

  await assert.rejects(restore(place, { file, yes: false }), /confirmation needs a terminal.*nothing was changed/);
  assert.deepEqual((await stateOf()).done, [], 'a refusal changes nothing');
  await assert.rejects(
    restore({ ...place, namespace: 'meadow' }, { file, yes: true }),
    /the backup is of namespace hamlet/,
  );

  const restoring = restore(place, { file, yes: true });
  restoring.catch(() => undefined);
  await eventually('the apis to be ended', async () => (await stateOf()).replicas['hamlet-api'] === 0);
  await replica.stop();
  await eventually('the apis to be started', async () => (await stateOf()).replicas['hamlet-api'] === 1);
  await start();
  await reward('1');
  await restoring;
  assert.equal(await balance(), then + 1);
  const { replicas, key, resources, done } = await stateOf();
  assert.deepEqual(replicas, { 'hamlet-operator': 2, 'hamlet-api': 1, 'hamlet-api-more': 1 });
  assert.deepEqual([key, resources.items.map(({ metadata }) => metadata.name)], ['the key', ['ada', 'bob']]);
  assert.ok(done.some((each) => each.startsWith('delete pod hamlet-redis-0')));
  await rm(file);
});
