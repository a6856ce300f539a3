/** The network of an agent: it reaches the api's port for agents and the broker's, and nothing else. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CAP_MS, until } from '../env/until.ts';
import { nodeAddress, untilReady, village, type Village } from '../env/village.ts';

/** A connection without an answer counts as refused after this time, because a packet filter may drop packets. */
const PATIENCE_MS = 3_000;

let place: Village;
const pods = new Map<string, string>();

before(async () => {
  place = await village();
  for (const agent of ['ada', 'bob']) pods.set(agent, (await untilReady(place, agent)).pod ?? '');
});

/** True if a TCP connection from inside an agent's pod succeeds. */
async function reaches(agent: string, host: string, port: number): Promise<boolean> {
  const script = `
    const socket = require('node:net').connect({ host: '${host}', port: ${port} });
    const end = (text) => { process.stdout.write(text); process.exit(0); };
    socket.on('connect', () => end('open')).on('error', (error) => end(error.code));
    setTimeout(() => end('silent'), ${PATIENCE_MS});`;
  return (await place.kubectl(['exec', pods.get(agent) ?? '', '--', 'node', '-e', script])) === 'open';
}

async function addressOf(kind: 'pod' | 'service', name: string): Promise<string> {
  if (kind === 'service') return place.kubectl(['get', 'service', name, '-o', 'jsonpath={.spec.clusterIP}']);
  return place.kubectl([
    'get',
    'pods',
    '-l',
    `app.kubernetes.io/component=${name}`,
    '-o',
    'jsonpath={.items[0].status.podIP}',
  ]);
}

for (const agent of ['ada', 'bob']) {
  test(`${agent} reaches the api's port for agents and the broker, by address alone`, async () => {
    const [api, broker] = [
      await addressOf('service', 'hamlet-api-agents'),
      await addressOf('service', 'hamlet-broker'),
    ];
    // On a busy machine a connection may take longer than PATIENCE_MS.
    await until(`${agent} reaches the api`, () => reaches(agent, api, 8081));
    await until(`${agent} reaches the broker`, () => reaches(agent, broker, 3128));
    assert.equal(await reaches(agent, 'hamlet-broker', 3128), false, 'a pod resolves no name');
  });

  test(`${agent} does not reach the api's other ports`, async () => {
    const api = await addressOf('pod', 'api');
    assert.equal(await reaches(agent, await addressOf('service', 'hamlet-api'), 8080), false, 'people, by service');
    assert.equal(await reaches(agent, api, 8080), false, 'people, by pod');
    assert.equal(await reaches(agent, api, 9090), false, 'metrics');
  });

  test(`${agent} does not reach Postgres and Redis`, async () => {
    const [postgres, redis] = [
      await addressOf('service', 'hamlet-postgres'),
      await addressOf('service', 'hamlet-redis'),
    ];
    assert.equal(await reaches(agent, postgres, 5432), false, 'Postgres by service');
    assert.equal(await reaches(agent, await addressOf('pod', 'postgres'), 5432), false, 'Postgres by pod');
    assert.equal(await reaches(agent, redis, 6379), false, 'Redis by service');
    assert.equal(await reaches(agent, await addressOf('pod', 'redis'), 6379), false, 'Redis by pod');
  });

  test(`${agent} does not reach the kubelets and the API server`, async () => {
    for (const node of ['sparky1', 'sparky2'])
      assert.equal(await reaches(agent, await nodeAddress(place, node), 10_250), false, `kubelet of ${node}`);
    const kubernetes = await place.kubectl([
      'get',
      'service',
      'kubernetes',
      '--namespace',
      'default',
      '-o',
      'jsonpath={.spec.clusterIP}',
    ]);
    assert.equal(await reaches(agent, kubernetes, 443), false, 'API server by service');
    const server = new URL(
      await place.kubectl(['config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}']),
    );
    assert.equal(await reaches(agent, server.hostname, Number(server.port)), false, 'API server by address');
  });
}

test('agents do not reach each other', async () => {
  const other = await place.kubectl(['get', 'pod', pods.get('bob') ?? '', '-o', 'jsonpath={.status.podIP}']);
  assert.notEqual(other, '');
  // A port without a listener would answer with a reset, and a policy may refuse in the same way. The pod therefore
  // listens first.
  const listen = `require('node:net').createServer((socket) => socket.on('data', () => process.exit(0))).listen(7777); setTimeout(() => process.exit(0), ${2 * CAP_MS})`;
  const listening = place.tryKubectl(['exec', pods.get('bob') ?? '', '--', 'node', '-e', listen]);
  // The listener is reachable in its own pod, before and after the other agent's attempt; any data ends it.
  const self = (words: string): Promise<string> =>
    place.kubectl([
      'exec',
      pods.get('bob') ?? '',
      '--',
      'node',
      '-e',
      `require('node:net').connect(7777, '127.0.0.1').on('connect', function () { console.log('open'); this.end('${words}'); }).on('error', () => undefined)`,
    ]);
  await until('it listens', async () => (await self('')) === 'open');
  assert.equal(await reaches('ada', other, 7777), false);
  assert.equal(await self('enough'), 'open', 'the agent was still listening');
  await listening;
});

test('when a Service gets another address, pods of agents are replaced and reach the broker there', async () => {
  interface Service {
    readonly metadata: { readonly labels: object; readonly annotations?: object };
    readonly spec: { readonly clusterIP: string; readonly selector: object; readonly ports: readonly object[] };
  }
  const before = JSON.parse(await place.kubectl(['get', 'service', 'hamlet-broker', '-o', 'json'])) as Service;
  const { selector, ports } = before.spec;
  const { labels, annotations = {} } = before.metadata;
  const metadata = { name: 'hamlet-broker', labels, annotations };
  const next = { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector, ports } };
  await place.kubectl(['delete', 'service', 'hamlet-broker']);
  await place.kubectl(['create', '-f', '-'], JSON.stringify(next));
  const address = await addressOf('service', 'hamlet-broker');
  assert.notEqual(address, before.spec.clusterIP);
  for (const agent of ['ada', 'bob']) {
    const old = pods.get(agent);
    const pod = await until(`${agent} has another pod`, async () => {
      const { pod: current } = await untilReady(place, agent);
      return current !== null && current !== old ? current : undefined;
    });
    pods.set(agent, pod);
    const broker = await place.kubectl(['exec', pod, '-c', 'resident', '--', 'printenv', 'HAMLET_BROKER_URL']);
    assert.equal(broker.trim(), `http://${address}:3128`);
    await until(`${agent} reaches the broker`, () => reaches(agent, address, 3128));
  }
});
