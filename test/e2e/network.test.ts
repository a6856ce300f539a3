/** The network of an agent: it reaches the api's port for agents and the broker's. `egress.test.ts` tries everything else. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { until } from '../env/until.ts';
import { untilReady, village, type Village } from '../env/village.ts';

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

const addressOf = (service: string): Promise<string> =>
  place.kubectl(['get', 'service', service, '-o', 'jsonpath={.spec.clusterIP}']);

for (const agent of ['ada', 'bob']) {
  test(`${agent} reaches the api's port for agents and the broker, only by address`, async () => {
    const [api, broker] = [await addressOf('hamlet-api-agents'), await addressOf('hamlet-broker')];
    // On a busy machine a connection may take longer than PATIENCE_MS.
    await until(`${agent} reaches the api`, () => reaches(agent, api, 8081));
    await until(`${agent} reaches the broker`, () => reaches(agent, broker, 3128));
    assert.equal(await reaches(agent, 'hamlet-broker', 3128), false, 'a pod resolves no name');
  });
}

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
  const address = await addressOf('hamlet-broker');
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
