/** A second village of the cluster, in a namespace of its own, whose Postgres and Redis are processes outside of the cluster, over TLS. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { testAuthority } from '../../api/server/src/money/testing/test-authority.ts';
import { clusterStatus, program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { ensureNamespace } from '../../local/village/commands/install-charts.ts';
import { helm, kubectl, tryKubectl, type Place } from '../../local/village/kubectl.ts';
import { ROOT } from '../../local/village/paths.ts';
import { atEnd, testFolder, untilEnd } from '../env/at-end.ts';
import { testClient } from '../env/client.ts';
import { outsideStores } from '../env/net/outside-stores.ts';
import { ownPostgres } from '../env/postgres.ts';
import { ownRedis } from '../env/redis.ts';
import { openSuperuser } from '../env/superuser.ts';
import { until } from '../env/until.ts';
import { village } from '../env/village.ts';

const NAMESPACE = 'outside-stores';
/** A separate address of the machine for the stores, because the broker's pods cannot connect to it but must reach the API server. */
const MACHINE = '10.89.0.50';
const NAME = 'stores.test';
const PASSWORDS = { OWNER_PASSWORD: "o:w@n/e%r?'#", APP_PASSWORD: 'a&p p+"$' };
const REDIS_PASSWORD = 'r:e@d/i%s';
const ADMIN_TOKEN = 'a'.repeat(32);

const place: Place = {
  kubectl: await program('kubectl'),
  helm: await program('helm'),
  kubeconfig: (await village()).kubeconfig,
  namespace: NAMESPACE,
};

/** Gives the bridge of the local cluster one more address. */
async function addAddress(): Promise<void> {
  const apiHost = (await clusterStatus())?.spec.apiHost ?? '';
  const [, device = ''] = (await run('ip', ['-o', 'address', 'show', 'to', apiHost])).split(/\s+/);
  await run('ip', ['address', 'replace', `${MACHINE}/32`, 'dev', device]);
  atEnd(() => run('ip', ['address', 'delete', `${MACHINE}/32`, 'dev', device]));
}

/** Lets pods reach a port of loopback. TLS ends at the server itself. Returns the port for pods. */
async function reachable(port: number): Promise<number> {
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  });
  server.listen(0, MACHINE);
  await once(server, 'listening');
  atEnd(() => server.close());
  return (server.address() as AddressInfo).port;
}

function secret(name: string, stringData: Readonly<Record<string, string>>): Promise<string> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
  return kubectl(place, ['apply', '-f', '-'], { input: JSON.stringify(object) });
}

/** Starts the stores, and returns the values of the chart for them. */
async function storesOutside() {
  const [postgres, redis, authority] = await Promise.all([ownPostgres('empty'), ownRedis(), testAuthority()]);
  for (const each of [postgres, redis, authority]) untilEnd(each);
  const superuser = untilEnd(openSuperuser(postgres));
  const stores = await outsideStores(superuser);
  await stores.keep('ca.crt', authority.root);
  await stores.certify(await authority.server([NAME]));
  await stores.makeRoles(PASSWORDS);
  const redisPort = await reachable(await stores.certifyRedis(redis, REDIS_PASSWORD));
  const [appPassword, ownerPassword] = [PASSWORDS.APP_PASSWORD, PASSWORDS.OWNER_PASSWORD];
  await secret('stores', { appPassword, ownerPassword, password: REDIS_PASSWORD, 'ca.crt': authority.root });
  const external = { host: NAME, secretName: 'stores', caSecretName: 'stores', cidrs: [`${MACHINE}/32`] };
  const values = {
    postgres: { external: { ...external, port: await reachable(postgres.port) } },
    redis: { external: { ...external, port: redisPort } },
  };
  return { superuser, values };
}

/** Installs the chart with the images of the village that is up. */
async function install(values: object): Promise<void> {
  const { images } = JSON.parse(
    await helm({ ...place, namespace: 'hamlet' }, ['get', 'values', 'hamlet', '-o', 'json']),
  ) as { readonly images: object };
  const file = join(testFolder('outside-stores'), 'values.json');
  const small = { replicas: 1 };
  const api = { ...small, keys: { adminToken: ADMIN_TOKEN }, hostAliases: [{ ip: MACHINE, hostnames: [NAME] }] };
  const others = { operator: small, broker: small, agents: { ada: null, bob: null } };
  await writeFile(file, JSON.stringify({ images, api, ...others, ...values }));
  await helm(place, ['upgrade', '--install', 'hamlet', join(ROOT, 'charts/hamlet'), '--values', file]);
  for (const name of ['api', 'operator', 'broker'])
    await kubectl(place, ['rollout', 'status', `deployment/hamlet-${name}`, '--timeout=5m']);
}

/** Forwards a port of this machine to the API. Returns its address. */
async function addressOfApi(): Promise<string> {
  const args = ['--namespace', NAMESPACE, 'port-forward', 'service/hamlet-api', ':8080'];
  const child = spawn(place.kubectl, args, { env: { ...process.env, KUBECONFIG: place.kubeconfig } });
  atEnd(async () => {
    child.kill();
    await once(child, 'exit');
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return until('the port', () => {
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(said) ?? [];
    return port === undefined ? undefined : `http://127.0.0.1:${port}`;
  });
}

async function uninstall(): Promise<void> {
  await tryKubectl(place, ['delete', 'agents', '--all', '--timeout=120s']);
  await helm(place, ['uninstall', 'hamlet']);
  await kubectl(place, ['delete', 'namespace', NAMESPACE, '--timeout=180s']);
}

await addAddress();
await ensureNamespace(place);
const { superuser, values } = await storesOutside();
atEnd(uninstall);
await install(values);
const admin = testClient({ baseUrl: await addressOfApi(), token: ADMIN_TOKEN });

test('the village has no store in the cluster, and every session of the API is encrypted', async () => {
  assert.equal(await kubectl(place, ['get', 'statefulsets', '-o', 'name']), '');
  const sessions = await superuser.run(
    "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'hamlet' and usename = 'app'",
  );
  assert.deepEqual(sessions, [{ ssl: true }]);
  assert.ok((await admin.listNodeFigures()).nodes.length > 0, 'figures come from Redis');
});

test('an agent lives in the village with outside stores: a message is answered, and a reward is in its balance', async () => {
  await admin.createAgent({ agent_id: 'nell', spec: { displayName: 'Nell' } });
  await until('nell is ready', async () => {
    const found = await admin.raw.getAgent({ agent_id: 'nell' });
    return found.ok && found.data.why.ready && found.data.status.online;
  });
  await admin.rewardAgent({ agent_id: 'nell', amount: '3', reason: 'for the move' });
  assert.ok(Number((await admin.getBalance({ agent_id: 'nell' })).balance) >= 3);
  const { session } = await admin.createSession({ agent_id: 'nell', people: [] });
  const { run } = await admin.sendMessage({ session_id: session.session_id, text: 'Look around' });
  const ended = await until('the answer', async () => {
    const { run: now } = await admin.getRun({ run_id: run.run_id });
    return now.ended_at === null ? undefined : now;
  });
  assert.deepEqual([ended.state, ended.error], ['done', null]);
});
