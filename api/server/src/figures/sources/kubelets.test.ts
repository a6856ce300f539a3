/** Kubelets behind TLS, with nodes, accounts and rights of a real API server. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { NODES, SERVICE_ACCOUNTS, TOKEN_REVIEWS, type NewObject } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { testAuthority, type TestAuthority } from '../../money/testing/test-authority.ts';
import { openKubelets, type Kubelets } from './kubelets.ts';

const RBAC = 'rbac.authorization.k8s.io';
const SUMMARY = JSON.stringify({ node: { memory: { availableBytes: 77 } }, pods: [] });

let server: TestApiServer;
let authority: TestAuthority;
let kubelet: Server;
let namespace = '';
let answer = { status: 200, text: SUMMARY };
/** Paths and tokens that the kubelet has received. */
let received: { readonly path: string; readonly token: string }[] = [];

async function startKubelet(names: readonly string[]): Promise<Server> {
  const { chain: cert, key } = await authority.server(names);
  const made = createServer({ cert, key }, (request, response) => {
    received.push({ path: request.url ?? '', token: (request.headers.authorization ?? '').replace('Bearer ', '') });
    response.writeHead(answer.status).end(answer.text);
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return made;
}

/** Creates a node whose kubelet is at a port of this machine. */
async function addNode(name: string, port: number): Promise<void> {
  const manager = { fieldManager: 'test' };
  await server.client.apply(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } }, manager);
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    capacity: { cpu: '20', memory: '128Gi' },
    conditions: [{ type: 'Ready', status: 'True' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name }, status };
  await server.client.apply(NODES, object as NewObject, { ...manager, subresource: 'status' });
}

/** The rights that the chart gives the account. */
async function addAccount(): Promise<void> {
  const manager = { fieldManager: 'test' };
  const account = { kind: 'ServiceAccount', metadata: { name: 'hamlet-figures', namespace } };
  await server.client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', ...account }, manager);
  const of = (plural: string, kind: string) => ({ group: RBAC, version: 'v1', plural, kind });
  const head = (kind: string) => ({ apiVersion: `${RBAC}/v1`, kind, metadata: { name: 'figures' } });
  const rules = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }];
  await server.client.apply(of('clusterroles', 'ClusterRole'), { ...head('ClusterRole'), rules } as NewObject, manager);
  const binding = {
    ...head('ClusterRoleBinding'),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'figures' },
    subjects: [{ kind: 'ServiceAccount', name: 'hamlet-figures', namespace }],
  };
  await server.client.apply(of('clusterrolebindings', 'ClusterRoleBinding'), binding as NewObject, manager);
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
  await addAccount();
  kubelet = await startKubelet(['box1']);
  await addNode('box1', (kubelet.address() as AddressInfo).port);
});
after(async () => {
  kubelet.close();
  await Promise.all([server.remove(), authority.remove()]);
});

test('reads a node with a token of the account hamlet-figures alone', async () => {
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
  const port = (kubelet.address() as AddressInfo).port;
  await addNode('box2', port);
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
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  await addNode('box1', port);
  const [node] = await readOnce();
  assert.equal(node?.problem?.reason, 'unreachable');
});
