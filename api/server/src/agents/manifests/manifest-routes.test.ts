/** Manifests over HTTP: written to ConfigMaps of a real API server; without a cluster, read from samples. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION, type AgentManifests } from '@hamlet/contract';
import { CONFIG_MAPS, type KubeObject } from '@hamlet/kube';
import { refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { startClusterVillage, type ClusterVillage } from '../../testing/cluster-village.ts';
import { eventually, Play } from '../../testing/test-village.ts';
import type { ConfigMap } from '../config-maps.ts';
import { AGENTS } from '../kubernetes-watch.ts';

const LABEL = 'hamlet.village/manifests';
const WORKFLOW = 'workflow: { id: one, nodes: [{ id: a, role: linear }] }\n';
const FILES = [{ path: 'workflow.yaml' as const, text: WORKFLOW }];

let cluster: ClusterVillage;
let kube: ClusterVillage['kube'];
let namespace = '';
let play: Play;
let second: Play;
let withoutCluster: Play;

before(async () => {
  cluster = await startClusterVillage();
  const { village, environment } = cluster;
  ({ kube, namespace } = cluster);
  await village.writeManifests('ada', { 'workflow.yaml': WORKFLOW });
  withoutCluster = new Play((await village.startReplica()).peopleUrl);
  play = new Play((await village.startReplica(environment)).peopleUrl);
  second = new Play((await village.startReplica(environment)).peopleUrl);
});
after(() => cluster.remove());

/** Applies an Agent as a GitOps tool does, and waits until both replicas know it. */
async function applyAgent(name: string, spec: object = {}): Promise<void> {
  const object = { apiVersion: API_VERSION, kind: 'Agent', metadata: { name, namespace }, spec };
  const { metadata } = await kube.client.apply<KubeObject>(AGENTS, object, { fieldManager: 'argocd' });
  for (const replica of [play, second])
    await eventually(`${name} in the API`, async () => {
      const read = await replica.admin.raw.getAgentManifests({ agent_id: name });
      return read.ok && metadata.uid !== '';
    });
}

async function applyMap(name: string, data: object, labels: object = { [LABEL]: 'true' }): Promise<ConfigMap> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data };
  return kube.client.apply<ConfigMap>(CONFIG_MAPS, object, { fieldManager: 'argocd' });
}

const storedMap = (name: string): Promise<ConfigMap> => kube.client.get<ConfigMap>(CONFIG_MAPS, { namespace, name });
type StoredAgent = KubeObject & { readonly spec: { readonly manifests?: object } };
const storedAgent = (name: string): Promise<StoredAgent> => kube.client.get<StoredAgent>(AGENTS, { namespace, name });
const read = (agent_id: string): Promise<AgentManifests> => play.admin.getAgentManifests({ agent_id });

type Put = Parameters<typeof play.admin.putAgentManifests>[0];
const put = (agent_id: string, wanted: Omit<Put, 'agent_id'>, by = play): Promise<AgentManifests> =>
  by.admin.putAgentManifests({ agent_id, ...wanted });

async function auditOf(agentId: string): Promise<readonly { readonly action: string; readonly detail: unknown }[]> {
  const { records } = await play.admin.listAudit({ limit: 100 });
  return records.filter(({ object }) => object === agentId).map(({ action, detail }) => ({ action, detail }));
}

test('the first manifests make a ConfigMap of the agent, which the Agent then names', async () => {
  await applyAgent('ada');
  assert.deepEqual(await read('ada'), { config_map_name: null, version: null, files: [], problem: null });
  const made = await put('ada', { files: FILES, version: null });
  const map = await storedMap('ada-manifests');
  const agent = await storedAgent('ada');
  assert.deepEqual(made, {
    config_map_name: 'ada-manifests',
    version: map.metadata.resourceVersion,
    files: FILES,
    problem: null,
  });
  assert.deepEqual(map.metadata.labels, { [LABEL]: 'true' });
  assert.deepEqual(map.metadata.ownerReferences, [
    { apiVersion: API_VERSION, kind: 'Agent', name: 'ada', uid: agent.metadata.uid },
  ]);
  assert.deepEqual(agent.spec.manifests, { configMapName: 'ada-manifests' });
  assert.deepEqual(await read('ada'), made, 'the replica that wrote reads its write at once');
  const [entry, ...more] = (await auditOf('ada')).filter(({ action }) => action === 'agent.manifests');
  const { uid } = agent.metadata;
  const detail = { uid, config_map_name: 'ada-manifests', files: ['workflow.yaml'], on_conflict: 'refuse' };
  assert.deepEqual([entry?.detail, more.length], [detail, 0]);
  await play.admin.suspendAgent({ agent_id: 'ada' });
  assert.deepEqual((await storedAgent('ada')).spec.manifests, { configMapName: 'ada-manifests' }, 'a suspend keeps it');
});

test('a change writes only the files that differ, removes the others, and refuses an old version', async () => {
  const before = await read('ada');
  const files = [{ path: 'agents.yaml' as const, text: 'agents: []\n' }, ...FILES];
  const changed = await put('ada', { files, version: before.version });
  assert.deepEqual(pluck(changed.files, 'path'), ['agents.yaml', 'workflow.yaml']);
  assert.deepEqual(await put('ada', { files, version: before.version }), changed, 'a retry finds its own write');
  await refuses(put('ada', { files: FILES, version: before.version }), 'manifests_changed', /read them again/);
  await refuses(put('ada', { files: FILES, version: null }), 'manifests_changed');
  assert.equal((await put('ada', { files: FILES, version: changed.version })).files.length, 1);
  assert.deepEqual(Object.keys((await storedMap('ada-manifests')).data ?? {}), ['workflow.yaml']);
  assert.equal((await auditOf('ada')).filter(({ action }) => action === 'agent.manifests').length, 3);
});

test('two writers on two replicas at once: one writes, the other must read again', async () => {
  await applyAgent('bob');
  for (const round of [1, 2, 3]) {
    const { version } = await read('bob');
    const texts = ['x', 'y'].map((name) => `${WORKFLOW}# ${name} ${round}\n`);
    const answers = await Promise.allSettled(
      texts.map((text, at) => put('bob', { files: [{ path: 'workflow.yaml', text }], version }, [play, second][at])),
    );
    const won = answers.findIndex(({ status }) => status === 'fulfilled');
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const lost = answers.find(({ status }) => status === 'rejected');
    assert.match(String((lost as PromiseRejectedResult).reason), /manifests_changed|have changed since/);
    assert.equal((await storedMap('bob-manifests')).data?.['workflow.yaml'], texts[won]);
  }
  assert.deepEqual((await storedAgent('bob')).spec.manifests, { configMapName: 'bob-manifests' });
});

test('two agents may share a ConfigMap: the version covers writes through either', async () => {
  await applyMap('shared', {});
  for (const name of ['cleo', 'dan']) await applyAgent(name, { manifests: { configMapName: 'shared' } });
  const { version, problem } = await read('cleo');
  assert.match(problem ?? '', /ConfigMap shared has no workflow\.yaml: add it/);
  const written = await put('cleo', { files: FILES, version });
  assert.deepEqual(await read('dan'), written);
  await refuses(put('dan', { files: [], version }), 'manifests_changed');
  assert.equal((await storedMap('shared')).metadata.ownerReferences, undefined, 'it outlives each of its agents');
});

test('a file of another owner is taken over only on request', async () => {
  await applyMap('ops', { 'workflow.yaml': WORKFLOW });
  await applyAgent('eve', { manifests: { configMapName: 'ops' } });
  const { version } = await read('eve');
  const files = [{ path: 'workflow.yaml' as const, text: `${WORKFLOW}# mine\n` }];
  const owned = /workflow\.yaml of ConfigMap ops is managed by "argocd"/;
  await refuses(put('eve', { files, version }), 'field_owned_elsewhere', owned);
  await refuses(put('eve', { files: [], version }), 'field_owned_elsewhere', owned);
  assert.deepEqual((await put('eve', { files, version, on_conflict: 'take_over' })).files, files);
});

test('the API never writes a ConfigMap that holds more than manifests', async () => {
  await applyMap('plain', { 'workflow.yaml': WORKFLOW }, {});
  await applyAgent('fay', { manifests: { configMapName: 'plain' } });
  const { version, problem } = await read('fay');
  assert.match(problem ?? '', /kubectl label configmap plain hamlet\.village\/manifests=true/);
  await refuses(put('fay', { files: FILES, version }), 'manifests_unusable', /kubectl label configmap plain/);
  await applyMap('notes-of-gus', { 'notes.txt': 'mine' });
  await applyAgent('gus', { manifests: { configMapName: 'notes-of-gus' } });
  await refuses(
    put('gus', { files: FILES, version: null }),
    'manifests_unusable',
    /has the key notes\.txt, but manifests are/,
  );
  await applyMap('hal-manifests', { 'workflow.yaml': 'theirs' });
  await applyAgent('hal');
  await refuses(put('hal', { files: FILES, version: null }), 'manifests_unusable', /does not own the ConfigMap/);
  assert.deepEqual((await storedMap('hal-manifests')).data, { 'workflow.yaml': 'theirs' });
});

test('a missing ConfigMap that the Agent names is made; texts above its size are refused', async () => {
  await applyAgent('ida', { manifests: { configMapName: 'later' } });
  assert.match((await read('ida')).problem ?? '', /There is no ConfigMap later/);
  await refuses(put('ida', { files: FILES, version: '1' }), 'manifests_changed');
  assert.equal((await put('ida', { files: FILES, version: null })).config_map_name, 'later');
  assert.equal((await storedMap('later')).metadata.ownerReferences, undefined);
  const wide = (['agents.yaml', 'tools.yaml'] as const).map((path) => ({ path, text: '🦉'.repeat(150_000) }));
  await refuses(put('ida', { files: wide, version: null }), 'manifests_unusable', /at most 1048576 bytes/);
  await refuses(put('nobody', { files: FILES, version: null }), 'no_such_agent');
});

test('a write after one that was killed before it named its ConfigMap completes that, and loses no text', async () => {
  await applyAgent('jon');
  const { uid } = (await storedAgent('jon')).metadata;
  const owner = { apiVersion: API_VERSION, kind: 'Agent', name: 'jon', uid };
  const metadata = { name: 'jon-manifests', namespace, labels: { [LABEL]: 'true' }, ownerReferences: [owner] };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'workflow.yaml': 'theirs' } };
  await kube.client.create(CONFIG_MAPS, object, { namespace, query: { fieldManager: 'hamlet-api' } });
  await refuses(put('jon', { files: FILES, version: null }), 'manifests_changed');
  const found = await read('jon');
  assert.deepEqual(found.files, [{ path: 'workflow.yaml', text: 'theirs' }]);
  assert.deepEqual((await put('jon', { files: FILES, version: found.version })).files, FILES);
});

test('without a cluster the API shows the samples, and refuses a write with the fix', async () => {
  const { files, version, problem } = await withoutCluster.admin.getAgentManifests({ agent_id: 'ada' });
  assert.deepEqual([files, version, problem], [FILES, null, null]);
  const body = { agent_id: 'ada', files: [], version: null };
  await refuses(withoutCluster.admin.raw.putAgentManifests(body), 'cluster_needed', /make up/);
});
