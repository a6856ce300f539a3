/** Secrets that the village uses for an agent are in its pod nowhere, and the token of the resident is not in the hands. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { closeVillage, openVillage, startOutside, TLS_PORT, type Outside } from '../env/egress/outside.ts';
import { filesWith, processesOf, textsInProcess, type Container } from '../env/egress/find-in-pod.ts';
import { secretValue, localPlace } from '../../local/village/kubectl.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const NAME = `sam-${process.pid}`;
const SECRET = 'egress-canary';
const CREDENTIAL = `canary-${process.pid}`;
const canary = `canary-${randomBytes(24).toString('hex')}`;
const providerKey = `sk-${randomBytes(24).toString('hex')}`;
const CONTAINERS: readonly Container[] = ['resident', 'hands'];

let place: Village;
let outside: Outside;
let pod = '';
let authorityKey = '';

before(async () => {
  place = await village();
  outside = await startOutside();
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: SECRET,
      labels: { 'hamlet.village/egress': 'true' },
      annotations: { 'hamlet.village/egress-hosts': 'read.test' },
    },
    stringData: { value: canary },
  };
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(secret));
  await openVillage(place, outside, {
    names: { [outside.address]: ['read.test'] },
    openings: [{ host: 'read.test', ports: [TLS_PORT] }],
    more: { secretNames: [SECRET] },
  });
  const rule = { host: 'read.test', ports: [TLS_PORT], methods: ['GET'], secret: SECRET };
  await applyAgent(place, NAME, { egress: { allow: [rule] } });
  pod = (await untilReady(place, NAME)).pod ?? '';
  await place.admin.putModelCredential({ name: CREDENTIAL, agent_id: NAME, key: providerKey });
  const pem = await secretValue(await localPlace(place.namespace), 'hamlet-ca', 'tls.key');
  authorityKey = pem.split('\n')[1] ?? '';
});
after(async () => {
  await place.admin.raw.deleteModelCredential({ name: CREDENTIAL, agent_id: NAME });
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'secret', SECRET, '--ignore-not-found']);
  await outside.close();
  await closeVillage(place);
});

const inHands = (...command: readonly string[]): Promise<string> =>
  place.kubectl(['exec', pod, '-c', 'hands', '--', ...command]);

test('the server gets the secret, and its answer is withheld if it repeats the secret', async () => {
  const placeholder = `hamlet-placeholder-${SECRET}`;
  const ask = ['curl', '-sSi', '-x', 'http://127.0.0.1:3128', '-H', `Authorization: Bearer ${placeholder}`];
  // The API reads a new secret within seconds.
  const answer = await until('the server gets the request', async () => {
    const text = await inHands(...ask, `https://read.test:${TLS_PORT}/with-secret`).catch((error) => String(error));
    return outside.hits.some(({ path }) => path === '/with-secret') ? text : undefined;
  });
  assert.equal(outside.hits.at(-1)?.headers.authorization, `Bearer ${canary}`);
  assert.doesNotMatch(answer, new RegExp(canary));
  assert.equal(
    outside.hits.at(-1)?.headers['proxy-authorization'],
    undefined,
    'the token of the agent goes no further',
  );
});

test('no secret of the village is in the memory, the environment or a file of the pod', async (t) => {
  const secrets = [canary, providerKey, authorityKey];
  assert.ok(secrets.every((text) => text.length > 30));
  for (const container of CONTAINERS) {
    const pids = await processesOf(place, pod, container);
    assert.ok(pids.length > 0, container);
    for (const pid of pids) assert.deepEqual(textsInProcess(pid, secrets), [], `${container}: process ${pid}`);
    assert.deepEqual(await filesWith(place, pod, { container, texts: secrets }), [], container);
    t.diagnostic(`${container}: ${pids.length} processes`);
  }
});

/** The search finds a text that a program of the hands does have: without this, an empty result would prove nothing. */
async function assertSearchFinds(): Promise<void> {
  const mark = randomBytes(24).toString('hex');
  const found = `/tmp/found-${process.pid}`;
  const wait = `for i in $(seq 1500); do [ -e ${found} ] && break; sleep 0.2; done`;
  const waiting = inHands('env', `HAMLET_MARK=${mark}`, 'sh', '-c', wait);
  await until('the search finds a text in a process of the hands', async () => {
    const pids = await processesOf(place, pod, 'hands');
    return pids.some((pid) => textsInProcess(pid, [mark]).length === 1) ? true : undefined;
  });
  await inHands('touch', found);
  await waiting;
}

test('the token of the agent is in its resident alone, and the journal is not in the hands', async () => {
  const token = await place.kubectl(['exec', pod, '-c', 'resident', '--', 'cat', '/var/run/secrets/hamlet/token']);
  const signature = token.trim().split('.').at(-1) ?? '';
  assert.ok(signature.length > 40);
  assert.deepEqual(await filesWith(place, pod, { container: 'hands', texts: [signature] }), []);
  for (const pid of await processesOf(place, pod, 'hands')) assert.deepEqual(textsInProcess(pid, [signature]), []);
  await assertSearchFinds();
  const paths = ['/var/run/secrets/hamlet', '/var/lib/hamlet', '/root/.mcp-memory/memory.jsonl'];
  for (const path of paths)
    assert.equal(await inHands('sh', '-c', `test -e ${path} && echo there || echo none`), 'none', path);
  assert.equal(
    await inHands('sh', '-c', "grep -las resident/src/[m]ain /proc/[0-9]*/cmdline | wc -l | tr -d ' '"),
    '0',
    'no process of the resident is seen',
  );
});
