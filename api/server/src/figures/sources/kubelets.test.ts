/** Kubelets behind TLS, with nodes, accounts and rights of a real API server. */
import assert from 'node:assert/strict';
import type { Server } from 'node:https';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { NODES, TOKEN_REVIEWS, type NewObject } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { testAuthority, type TestAuthority } from '../../money/testing/test-authority.ts';
import { addFiguresAccount, endpointOf, startKubelet as pretendKubelet } from '../testing/pretend-kubelet.ts';
import { openKubelets, type Kubelets } from './kubelets.ts';

const SUMMARY = JSON.stringify({ node: { memory: { availableBytes: 77 } }, pods: [] });

let server: TestApiServer;
let authority: TestAuthority;
let kubelet: Server;
let namespace = '';
let answer = { status: 200, text: SUMMARY };
let received: { readonly path: string; readonly token: string }[] = [];

const startKubelet = (names: readonly string[]): Promise<Server> =>
  pretendKubelet(authority, names, (asked) => {
    received.push(asked);
    return answer;
  });

/** Creates a node with a kubelet of this machine. */
async function addNode(name: string, of: Server, ready = 'True'): Promise<void> {
  const manager = { fieldManager: 'test' };
  await server.client.apply(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } }, manager);
  const status = {
    ...endpointOf(of),
    capacity: { cpu: '20', memory: '128Gi' },
    allocatable: { 'nvidia.com/gpu': '1' },
    conditions: [{ type: 'Ready', status: ready }],
  };
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name }, status };
  await server.client.apply(NODES, object as NewObject, { ...manager, subresource: 'status' });
}

const open = (ca: string | undefined): Kubelets =>
  openKubelets({ client: server.client, connection: server.connection, namespace, ca, nowMs: () => 0 });

async function readOnce(ca: string | undefined = authority.root) {
  received = [];
  const kubelets = open(ca);
  try {
    return await kubelets.read();
  } finally {
    await kubelets.close();
  }
}

before(async () => {
  [server, authority] = await Promise.all([testApiServer(), testAuthority()]);
  namespace = await server.namespace();
  await addFiguresAccount(server, namespace);
  kubelet = await startKubelet(['box1']);
  await addNode('box1', kubelet);
});
after(async () => {
  kubelet.close();
  await Promise.all([server.remove(), authority.remove()]);
});

test('reads a node only with a token of the account hamlet-figures', async () => {
  const [node] = await readOnce();
  assert.deepEqual(
    [node?.name, node?.ready, node?.cores, node?.memoryBytes, node?.summary?.memoryAvailableBytes, node?.problem],
    ['box1', true, 20, 2 ** 37, 77, null],
  );
  assert.equal(received[0]?.path, '/stats/summary');
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: received[0]?.token } };
  const { status } = await server.client.create<{ status: { user: { username: string } } }>(TOKEN_REVIEWS, review, {});
  assert.equal(status.user.username, `system:serviceaccount:${namespace}:hamlet-figures`);
});

test('a kubelet without a certificate of the CA for its own node receives no token', async () => {
  const [byClusterCa] = await readOnce(server.connection.tls.ca);
  assert.equal(byClusterCa?.problem?.reason, 'untrusted');
  await addNode('box2', kubelet);
  const nodes = await readOnce();
  assert.deepEqual(
    nodes.map(({ name, problem }) => [name, problem?.reason]),
    [
      ['box1', undefined],
      ['box2', 'untrusted'],
    ],
    'the certificate names box1',
  );
  assert.equal(received.length, 1);
  await server.client.delete(NODES, { name: 'box2' });
});

const ANSWERS: readonly [name: string, status: number, text: string, reason: string][] = [
  ['a refusal', 403, 'Forbidden', 'forbidden'],
  ['a token that is not known', 401, 'Unauthorized', 'forbidden'],
  ['a failure', 500, SUMMARY, 'unreadable'],
  ['a redirect', 302, '', 'unreadable'],
  ['no JSON', 200, '<html>', 'unreadable'],
  ['more than 8 MiB', 200, ' '.repeat((8 << 20) + 1), 'unreadable'],
];
for (const [name, status, text, reason] of ANSWERS)
  test(`${name} makes the node ${reason}`, async () => {
    answer = { status, text };
    const [node] = await readOnce();
    assert.deepEqual([node?.summary, node?.problem?.reason], [null, reason]);
    answer = { status: 200, text: SUMMARY };
  });

test('a kubelet that is gone is unreachable', async () => {
  const gone = await startKubelet(['box1']);
  await addNode('box1', gone);
  await new Promise((resolve) => gone.close(resolve));
  const [node] = await readOnce();
  assert.equal(node?.problem?.reason, 'unreachable');
});

test('a lost node has no figures for its pods', async () => {
  const kubelets = open(authority.root);
  await addNode('box2', kubelet);
  const names = async () => (await kubelets.allocatable())?.map(({ name }) => name).toSorted();
  assert.deepEqual(await names(), ['box1', 'box2']);
  await addNode('box2', kubelet, 'Unknown');
  assert.deepEqual(await names(), ['box1']);
  await server.client.delete(NODES, { name: 'box2' });
  await kubelets.close();
});
