/** The rights of the API over ConfigMaps, and those of its account for figures, as the chart grants them, on a real API server. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { MANIFEST_FILES } from '@hamlet/contract';
import {
  CONFIG_MAPS,
  KubeClient,
  NODES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  type NewObject,
  type ResourceType,
} from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { serviceAccountToken } from '@hamlet/test/env/cluster/service-account-token';
import { until } from '@hamlet/test/env/until';
import { render } from './testing/render.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
const of = (group: string, plural: string, kind: string): ResourceType => ({ group, version: 'v1', plural, kind });
const TYPES: readonly ResourceType[] = [
  of(RBAC, 'roles', 'Role'),
  of(RBAC, 'rolebindings', 'RoleBinding'),
  of(RBAC, 'clusterroles', 'ClusterRole'),
  of(RBAC, 'clusterrolebindings', 'ClusterRoleBinding'),
  of(ADMISSION, 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  of(ADMISSION, 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'),
];
const LABELLED = { labels: { 'hamlet.village/manifests': 'true' } };
const DRY = { dryRun: 'All' };
const CHANNELS = { telegram: { secretNames: ['ada-telegram'] }, slack: { secretNames: ['ada-slack', 'bob-slack'] } };

let server: TestApiServer;
let namespace = '';
let api: KubeClient;

/** Applies the rights of the API from the rendered chart, and connects with its account. */
async function apiOfChart(): Promise<KubeClient> {
  const manager = { fieldManager: 'test' };
  for (const name of ['hamlet-api', 'hamlet-figures']) {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
    await server.client.apply(SERVICE_ACCOUNTS, account, manager);
  }
  const { manifests, output } = await render({ channels: CHANNELS }, '--namespace', namespace);
  const parts = manifests.filter(({ metadata: { name } }) => /^hamlet-(api|figures)/.test(name));
  assert.ok(parts.length > 0, output);
  for (const type of TYPES)
    for (const part of parts.filter(({ kind }) => kind === type.kind))
      await server.client.apply(type, placed(type, part as unknown as NewObject), manager);
  return clientOf(await serviceAccountToken(server.client, accountOf('api'), { expirationSeconds: 3_600 }));
}

const accountOf = (name: string) => ({ namespace, name: `hamlet-${name}` });

function clientOf(token: string): KubeClient {
  const { cert: _cert, key: _key, ...tls } = server.connection.tls;
  const read = { read: () => Promise.resolve(token), forget: () => undefined };
  return new KubeClient({ ...server.connection, tls, token: read }, {});
}

/** The chart writes its namespace into objects without one too, which helm leaves out. */
function placed({ plural }: ResourceType, object: NewObject): NewObject {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: plural.startsWith('role') ? { ...metadata, namespace } : metadata };
}

const create = (name: string, parts: object, metadata: object = LABELLED): Promise<unknown> =>
  api.create(
    CONFIG_MAPS,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...parts },
    { namespace, query: DRY },
  );
const patch = (name: string, parts: object): Promise<unknown> =>
  api.mergePatch(CONFIG_MAPS, parts, { namespace, name, query: DRY });

before(async () => {
  server = await testApiServer();
  namespace = await server.namespace();
  for (const [name, metadata] of Object.entries({ mine: LABELLED, 'hamlet-ca': {} }))
    await server.client.create(
      CONFIG_MAPS,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: {} },
      { namespace },
    );
  api = await apiOfChart();
  // The API server applies new rights and policies slightly after it has stored them.
  await until('the rights and the policy are in force', async () => {
    await create('probe', {});
    return create('probe', {}, {}).then(
      () => false,
      (error: unknown) => /the api writes only ConfigMaps/.test(String(error)),
    );
  });
});
after(async () => {
  await api.close();
  await server.remove();
});

test('the API makes and changes ConfigMaps of manifests, with each of their files', async () => {
  const data = Object.fromEntries(MANIFEST_FILES.map((file) => [file, 'x']));
  await create('ada-manifests', { data });
  await patch('mine', { data: { ...data, 'agents.yaml': null } });
});

test('the API writes no other ConfigMap, and nothing else into those of manifests', async () => {
  const only = /writes only ConfigMaps with the label hamlet\.village\/manifests/;
  await assert.rejects(create('plain', {}, {}), only);
  await assert.rejects(create('plain', {}, { labels: { 'hamlet.village/manifests': 'false' } }), only);
  await assert.rejects(patch('hamlet-ca', { data: { 'workflow.yaml': 'x' } }), only);
  await assert.rejects(patch('hamlet-ca', { metadata: LABELLED }), only, 'it labels no ConfigMap of others');
  await assert.rejects(patch('mine', { metadata: { labels: null } }), only);
  const nothingElse = /writes only manifests of workflows/;
  await assert.rejects(create('more', { data: { 'run.sh': 'x' } }), nothingElse);
  await assert.rejects(patch('mine', { data: { 'SKILL.md': 'x' } }), nothingElse);
  await assert.rejects(patch('mine', { binaryData: { 'workflow.yaml': 'AA==' } }), nothingElse);
});

test('the API lists ConfigMaps, for the catalogue of skills, and deletes none', async () => {
  await api.list(CONFIG_MAPS, { namespace });
  await assert.rejects(api.delete(CONFIG_MAPS, { namespace, name: 'mine' }), /cannot delete resource/);
});

test('the API reads the tokens of the bots that the chart lists, and no other Secret', async () => {
  const names = [...CHANNELS.telegram.secretNames, ...CHANNELS.slack.secretNames];
  for (const name of [...names, 'other'])
    await server.client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name } }, { namespace });
  for (const name of names) await api.get(SECRETS, { namespace, name });
  await assert.rejects(api.get(SECRETS, { namespace, name: 'other' }), /cannot get resource/);
  await assert.rejects(api.list(SECRETS, { namespace }), /cannot list resource/);
  await assert.rejects(api.delete(SECRETS, { namespace, name: 'ada-slack' }), /cannot delete resource/);
});

test('the API gets tokens only of the account for figures', async () => {
  const life = { expirationSeconds: 600 };
  await serviceAccountToken(api, accountOf('figures'), life);
  for (const name of ['api', 'agent'])
    await assert.rejects(serviceAccountToken(api, accountOf(name), life), /cannot create resource/);
  await assert.rejects(api.list(NODES, {}), /cannot list resource/, 'the API itself lists no nodes');
});

test('the account for figures lists nodes and does nothing else', async () => {
  const figures = clientOf(await serviceAccountToken(api, accountOf('figures'), { expirationSeconds: 600 }));
  try {
    await figures.list(NODES, {});
    const at = { namespace, name: 'mine' };
    await assert.rejects(figures.list(PODS, { namespace }), /cannot list resource/);
    await assert.rejects(figures.list(SECRETS, { namespace }), /cannot list resource/);
    await assert.rejects(figures.get(CONFIG_MAPS, at), /cannot get resource/);
    await assert.rejects(figures.delete(NODES, { name: 'box1' }), /cannot delete resource/);
    await assert.rejects(
      figures.get(NODES, { name: 'box1', subresource: 'proxy' }),
      /cannot get resource "nodes\/proxy"/,
    );
  } finally {
    await figures.close();
  }
});
