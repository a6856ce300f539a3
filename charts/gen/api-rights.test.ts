/** The rights of the API over ConfigMaps, as the chart grants them, on a real API server. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { MANIFEST_FILES } from '@hamlet/contract';
import { CONFIG_MAPS, KubeClient, SERVICE_ACCOUNTS, type NewObject, type ResourceType } from '@hamlet/kube';
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
  of(ADMISSION, 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  of(ADMISSION, 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'),
];
const LABELLED = { labels: { 'hamlet.village/manifests': 'true' } };
const DRY = { dryRun: 'All' };

let server: TestApiServer;
let namespace = '';
let api: KubeClient;

/** Applies the rights of the API from the rendered chart, and connects with its account. */
async function apiOfChart(): Promise<KubeClient> {
  const account = { namespace, name: 'hamlet-api' };
  const metadata = { name: account.name, namespace };
  const manager = { fieldManager: 'test' };
  await server.client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }, manager);
  const { manifests, output } = await render({}, '--namespace', namespace);
  const parts = manifests.filter(({ metadata: { name } }) => name.startsWith('hamlet-api'));
  assert.ok(parts.length > 0, output);
  for (const type of TYPES)
    for (const part of parts.filter(({ kind }) => kind === type.kind))
      await server.client.apply(type, placed(type, part as unknown as NewObject), manager);
  const token = await serviceAccountToken(server.client, account, { expirationSeconds: 3_600 });
  const { cert: _cert, key: _key, ...tls } = server.connection.tls;
  const read = { read: () => Promise.resolve(token), forget: () => undefined };
  return new KubeClient({ ...server.connection, tls, token: read }, {});
}

/** The chart writes its namespace into objects without one too, which helm leaves out. */
function placed({ group }: ResourceType, object: NewObject): NewObject {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: group === RBAC ? { ...metadata, namespace } : metadata };
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

test('the API may not list or delete ConfigMaps', async () => {
  await assert.rejects(api.list(CONFIG_MAPS, { namespace }), /cannot list resource/);
  await assert.rejects(api.delete(CONFIG_MAPS, { namespace, name: 'mine' }), /cannot delete resource/);
});
