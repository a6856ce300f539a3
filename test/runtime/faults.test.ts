/**
 * The operator's kinds and runtime on a real API server and etcd, with every kind of fault between them: the operator
 * misses nothing, creates nothing twice and leaves nothing open.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from '../env/cluster-test.ts';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { KubeObject, ResourceType } from '@hamlet/kube';
import { KubeClient, Reflector, tokenFile } from '@hamlet/kube';
import { until } from '@hamlet/test/env/until';
import { operatorToken } from './operator-process.ts';
import { operatorUnderTest, type UnderTest } from './operator-under-test.ts';
import {
  answerLost,
  breakInMidEvent,
  byteByByte,
  count,
  goneAsEvent,
  listsOf,
  refusing,
  silence,
  slowDrip,
  through,
  watchesOf,
  writes,
} from './proxy/faults.ts';
import { testFolder } from '../env/at-end.ts';
import { execFile } from 'node:child_process';
import { request } from 'node:https';
import type { TestApiServer } from '@hamlet/test/env/api-server';

const execute = promisify(execFile);
const BUILD = resolve(import.meta.dirname, '../../local/cluster/build.sh');

const stateOf = ({ kubeconfig }: TestApiServer): string => dirname(kubeconfig);

/** Compacts etcd's history before `version`. */
async function compact(server: TestApiServer, version: string): Promise<void> {
  const state = stateOf(server);
  const { ports } = JSON.parse(await readFile(join(state, 'cluster.json'), 'utf8')) as {
    ports: { etcdClient: number };
  };
  const [ca, cert, key] = await Promise.all(
    ['ca.crt', 'etcd-client.crt', 'etcd-client.key'].map((file) => readFile(join(state, 'pki', file))),
  );
  await new Promise<void>((done, fail) => {
    const call = request(
      {
        host: '127.0.0.1',
        port: ports.etcdClient,
        path: '/v3/kv/compaction',
        method: 'POST',
        ...(ca === undefined ? {} : { ca }),
        cert,
        key,
        headers: { 'content-type': 'application/json' },
      },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 200) answer.once('end', () => done());
        else fail(new Error(`etcd answers ${answer.statusCode}`));
      },
    );
    call.once('error', fail);
    call.end(JSON.stringify({ revision: version, physical: true }));
  });
}

/** Kills the API server. Its supervisor starts it again; it has no events from before the kill. */
async function restartApiServer(server: TestApiServer): Promise<void> {
  const { stdout } = await execute(BUILD, ['--print-bin']);
  await execute(join(stdout.trim(), 'hamlet-cluster'), ['kill', '--state', stateOf(server), 'kube-apiserver']);
  await until('the API server is back', async () => (await server.client.read('/readyz')) === 'ok');
}

const MAPS: ResourceType = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
const STEADY_READINGS = 20;
const NEVER = Number.POSITIVE_INFINITY;

let it: UnderTest;
const folder = testFolder('token');
let token: string;
let openBefore: string;
let watchesBefore: Readonly<Record<string, number>>;

before(async () => {
  token = join(folder, 'token');
  it = await operatorUnderTest(async (server, namespace) => {
    await writeFile(token, await operatorToken(server.client, namespace));
    return tokenFile(token);
  });
  for (const name of ['ada', 'bob', 'cleo']) await it.hands.create(name);
  await settled('the first agents');
  await steady();
});

after(async () => {
  await it.end();
});

async function settled(what: string): Promise<void> {
  let last: readonly string[] = [];
  await until(`${what}: settled`, async () => {
    last = await it.problems();
    return last.length === 0;
  }).catch(async (error: unknown) => {
    const [stuck] = await it.hands.agents();
    throw new Error(
      `${last.join('\n')}\n${JSON.stringify(stuck?.status?.conditions)}\n${it.log.slice(-20).join('\n')}`,
      { cause: error },
    );
  });
}

/** Waits for the normal number of open watches. Requires several equal readings, because watches end and open again. */
async function steady(): Promise<void> {
  let equal = 0;
  let before = '';
  await until('the open watches are steady', async () => {
    watchesBefore = it.proxy.watchCounts;
    openBefore = await it.serverWatches();
    const now = JSON.stringify([sorted(watchesBefore), openBefore]);
    equal = now === before && it.operator.problem() === undefined ? equal + 1 : 0;
    before = now;
    return equal >= STEADY_READINGS;
  });
}

let changes = 0;

/** Changes by people in the meantime: one Agent is created, one deleted, one put to sleep, one rebooted, one renamed. */
async function change(): Promise<void> {
  changes += 1;
  const { hands } = it;
  await hands.create(`guest-${changes}`, { spec: { displayName: 'Gästin 🦉' } });
  await hands.patch('ada', { power: changes % 2 === 0 ? 'Awake' : 'Asleep' });
  await hands.patch('bob', {
    rebootedAt: new Date(1_700_000_000_000 + changes * 1_000).toISOString().replace('.000Z', 'Z'),
  });
  await hands.patch('cleo', { displayName: `Cléo ${changes} 🦉` });
  if (changes > 1) await hands.remove(`guest-${changes - 1}`);
}

/**
 * Asserts after a fault that the village is as people requested, no Agent ever had two pods, and neither side has a
 * surplus watch.
 */
async function unharmed(what: string): Promise<void> {
  await settled(what);
  it.proxy.heal();
  await until(
    `${what}: the watches are as before, for the proxy`,
    async () => JSON.stringify(sorted(it.proxy.watchCounts)) === JSON.stringify(sorted(watchesBefore)),
  );
  let open = '';
  await until(
    `${what}: the watches are as before, for the API server`,
    async () => (open = await it.serverWatches()) === openBefore,
  ).catch(() => assert.equal(open, openBefore, what));
  assert.deepEqual(it.twins, []);
}

const sorted = (counts: Readonly<Record<string, number>>): object => Object.entries(counts).toSorted();
const resetAll = (): void => it.proxy.watches.forEach((watch) => watch.reset());
const relists = (): number => Object.values(it.operator.watched).reduce((sum, { state }) => sum + state.relists, 0);
const failures = (): number => Object.values(it.operator.watched).reduce((sum, { state }) => sum + state.failures, 0);

/** Faults that break watches, which then reopen while the fault lasts. */
const ON_WATCHES = {
  'a connection that breaks in the middle of an event': () => through(watchesOf(), 12, breakInMidEvent),
  'characters split between packets': () => through(watchesOf(), NEVER, byteByByte),
  'a slow drip': () => through(watchesOf(), NEVER, slowDrip(200, 5)),
  '410 as an answer': () => refusing(watchesOf(), 5, { code: 410, reason: 'Expired' }),
  '410 as an event': () => through(watchesOf(), 5, goneAsEvent),
  '429 with Retry-After': () =>
    refusing(({ method }) => method !== '', 12, {
      code: 429,
      reason: 'TooManyRequests',
      headers: { 'retry-after': '1' },
    }),
  'an API server that is unavailable': () => refusing(watchesOf(), 8, { code: 503, reason: 'ServiceUnavailable' }),
  'watches that never answer': () => through(watchesOf('agents'), 1, silence),
} as const;

for (const [name, fault] of Object.entries(ON_WATCHES))
  test(name, async () => {
    it.proxy.inject(fault());
    resetAll();
    await change();
    await unharmed(name);
  });

test('the operator survives half-open connections: the server sends nothing and does not close', async () => {
  const before = failures();
  for (const watch of it.proxy.watches) watch.freeze();
  await change();
  await unharmed('half open');
  assert.ok(failures() > before, 'the silence was noticed');
});

test('the operator survives connections that are refused for a while', async () => {
  await it.proxy.refuse();
  await change();
  await until('it was noticed', async () =>
    Object.values(it.operator.watched).every(({ state }) => state.failures > 0),
  );
  await it.proxy.start();
  await unharmed('refused');
});

test('after lost answers of writes, each child exists once', async () => {
  it.proxy.inject(answerLost(writes, 6));
  await change();
  await unharmed('lost answers');
  const made = count(
    it.proxy.log,
    ({ method, resource, status }) => method === 'POST' && resource === 'pods' && status === 201,
  );
  assert.ok(made > 0);
});

test('the operator survives a list whose pages expire between two requests', async () => {
  it.proxy.inject(refusing(listsOf('pods'), 2, { code: 410, reason: 'Expired' }));
  it.proxy.inject(refusing(watchesOf('pods'), 1, { code: 410, reason: 'Expired' }));
  resetAll();
  await change();
  await unharmed('expired pages');
});

test('with bookmarks alone an unchanged kind stays current, and needs no list after a compaction', async () => {
  const { tiers } = it.operator.watched;
  const version = tiers.state.version;
  await until('a bookmark advanced the version of an unchanged kind', async () => tiers.state.version !== version);
  const { metadata } = await it.hands.create('marker');
  await until(
    'a bookmark beyond the marker',
    async () => Number(tiers.state.version) >= Number(metadata.resourceVersion),
  );
  await it.hands.remove('marker');
  await compact(it.server, metadata.resourceVersion);
  const before = tiers.state.relists;
  resetAll();
  await change();
  await unharmed('bookmarks only');
  assert.equal(tiers.state.relists, before);
});

test('after a compaction and a restart of the API server, the operator finds deletions that it could not watch', async () => {
  const before = relists();
  await it.proxy.refuse();
  await change();
  const last = await it.hands.create('latest');
  await compact(it.server, last.metadata.resourceVersion);
  await restartApiServer(it.server);
  await it.hands.remove('latest');
  await it.proxy.start();
  openBefore = '';
  await settled('compaction');
  openBefore = await until(
    'the watches are open again',
    async () =>
      JSON.stringify(sorted(it.proxy.watchCounts)) === JSON.stringify(sorted(watchesBefore)) &&
      (await it.serverWatches()),
  );
  await unharmed('compaction');
  assert.ok(relists() >= before);
});

test('a reflector reads giant objects of characters that take four bytes each', async () => {
  const { client, namespace } = it.hands;
  const reflector = new Reflector<KubeObject & { readonly data?: Readonly<Record<string, string>> }>({
    client: new KubeClient({ server: it.proxy.url, namespace, tls: {}, token: tokenFile(token) }),
    type: MAPS,
    namespace,
    labelSelector: 'giant=yes',
  });
  await reflector.start();
  const owls = '🦉'.repeat(240_000);
  await client.create(
    MAPS,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'giant', labels: { giant: 'yes' } }, data: { owls } },
    { namespace },
  );
  await it.hands.create('heavy', { annotations: { 'example.org/owls': '🦉'.repeat(60_000) } });
  await until('the giant', async () => reflector.cache.get(`${namespace}/giant`)?.data?.['owls'] === owls);
  await settled('a heavy Agent');
  await reflector.stop();
  await it.hands.remove('heavy');
  await change();
  await unharmed('giants');
});

test("the operator's caches equal a list, and it has exactly one watch of each kind", async () => {
  assert.equal(it.operator.problem(), undefined);
  // A watch that ends and opens again is closed for a moment.
  const asBefore = async (): Promise<boolean> => isDeepStrictEqual(sorted(it.proxy.watchCounts), sorted(watchesBefore));
  await until('each is open once', asBefore);
  await Promise.all(Object.values(it.operator.watched).map((reflector) => reflector.start()));
  await until('each is open once still', asBefore);
});
