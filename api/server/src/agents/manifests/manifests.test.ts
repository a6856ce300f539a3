/** The manifests in a ConfigMap, and those that runs get. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Agent, AgentSpec } from '@hamlet/contract';
import { KubeError } from '@hamlet/kube';
import { parse } from 'yaml';
import { UnavailableError } from '../../http/respond.ts';
import { kubernetesConfigMaps, sampleConfigMaps, type ConfigMap } from '../config-maps.ts';
import { manifestSourceOf, readManifests } from './read-manifests.ts';
import { manifestsOfMap } from './manifests-of-map.ts';

const SAMPLES = resolve(import.meta.dirname, '../../../../../crds/samples');
const labels = { 'hamlet.village/manifests': 'true' };
const mapWith = (more: Partial<ConfigMap>): ConfigMap => ({
  metadata: { name: 'm', uid: 'u', resourceVersion: '7', labels },
  data: { 'workflow.yaml': 'workflow: {}' },
  ...more,
});

test('the files of a ConfigMap come in the order of manifests, with its version', () => {
  const data = { 'tools.yaml': 't', 'workflow.yaml': 'w', 'agents.yaml': '' };
  assert.deepEqual(manifestsOfMap(mapWith({ data })), {
    config_map_name: 'm',
    version: '7',
    files: [
      { path: 'agents.yaml', text: '' },
      { path: 'tools.yaml', text: 't' },
      { path: 'workflow.yaml', text: 'w' },
    ],
    problem: null,
  });
});

test('the problem of a ConfigMap that holds more than manifests names the fix', () => {
  const problem = (more: Partial<ConfigMap>): string => String(manifestsOfMap(mapWith(more)).problem);
  const metadata = { name: 'm', uid: 'u', resourceVersion: '7' };
  assert.match(problem({ metadata }), /kubectl label configmap m hamlet\.village\/manifests=true/);
  assert.match(problem({ metadata: { ...metadata, labels: { 'hamlet.village/manifests': 'false' } } }), /label/);
  assert.match(problem({ binaryData: { a: 'AA==' } }), /binary files.*remove them/);
  assert.match(
    problem({ data: { 'workflow.yml': 'w' } }),
    /the key workflow\.yml, but manifests are agents\.yaml.*rename/,
  );
  assert.match(problem({ data: { 'agents.yaml': 'a' } }), /has no workflow\.yaml: add it/);
  assert.match(problem({ data: {} }), /has no workflow\.yaml/);
  const long = 'x'.repeat(262_145);
  assert.match(problem({ data: { 'agents.yaml': '', 'workflow.yaml': long } }), /m, workflow\.yaml: Too long/);
  const all = { 'agents.yaml': long.slice(1), 'tools.yaml': long.slice(1), 'workflow.yaml': long.slice(1) };
  assert.match(problem({ data: all }), /m: write at most 700000 characters in all files together/);
  assert.match(problem({ data: { 'workflow.yaml': 'a\u0000b' } }), /workflow\.yaml: the text has a NUL/);
});

test('runs get the manifests of the samples, and the reason if there are none', async () => {
  const specs: Readonly<Record<string, object>> = {
    ada: { manifests: { configMapName: 'review' } },
    bob: {},
    cleo: { manifests: { configMapName: 'nowhere' } },
  };
  const record = { uid: 'u', createdAt: '', status: {}, deleting: false };
  const source = manifestSourceOf(sampleConfigMaps(SAMPLES, 'manifests'), {
    get: (agentId) =>
      specs[agentId] === undefined ? null : { ...record, agentId, spec: AgentSpec.parse(specs[agentId]) },
  });
  const read = await source.read('ada');
  assert.ok(read.ok);
  assert.deepEqual(
    read.data.map(({ path }) => path),
    ['agents.yaml', 'tools.yaml', 'workflow.yaml'],
  );
  const codes = await Promise.all(
    ['bob', 'cleo', 'dan'].map(async (agentId) => {
      const refused = await source.read(agentId);
      return refused.ok ? 'ok' : `${refused.reason}: ${refused.detail?.slice(0, 30)}`;
    }),
  );
  assert.deepEqual(codes, [
    'no_manifests: The agent bob has no manifests',
    'manifests_unusable: There is no ConfigMap nowhere ',
    'no_manifests: The agent dan has no manifests',
  ]);
});

test('a missing right is a problem of the ConfigMap; an unreachable cluster throws', async () => {
  const read = (error: Error) =>
    kubernetesConfigMaps({
      client: { get: () => Promise.reject(error), list: () => Promise.reject(error) },
      namespace: 'n',
    }).read('m');
  const forbidden = await read(new KubeError({ status: 403, reason: 'Forbidden', message: 'no' }));
  assert.ok(!forbidden.ok && !forbidden.missing);
  assert.match(forbidden.problem, /upgrade the chart/);
  await assert.rejects(read(new Error('socket hang up')), UnavailableError);
  await assert.rejects(
    read(new KubeError({ status: 503, reason: 'ServiceUnavailable', message: 'busy' })),
    UnavailableError,
  );
});

test('each Agent of the samples names manifests that can be used', async () => {
  const files = (await readdir(SAMPLES)).filter((file) => file.startsWith('good-agent-'));
  const maps = sampleConfigMaps(SAMPLES, 'manifests');
  const read = await Promise.all(
    files.map(async (file) => {
      const { metadata, spec } = Agent.parse(parse(await readFile(join(SAMPLES, file), 'utf8')));
      const { config_map_name: name, problem } = await readManifests(maps, { spec });
      return [metadata.name, name, problem];
    }),
  );
  assert.deepEqual(read, [
    ['ada', 'review', null],
    ['bob', 'research', null],
    ['cleo', 'nightly-report', null],
  ]);
});
