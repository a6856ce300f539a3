/** The broker of the chart as helm renders it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { parseAllDocuments } from 'yaml';
import { program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';
import type { Container, Manifest } from './testing/manifest.ts';

let folder = '';
let helm = '';

before(async () => {
  helm = await program('helm');
  folder = mkdtempSync(join(tmpdir(), 'hamlet-charts-broker-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The parts of the broker in the rendered chart. */
async function brokerIn(values: object = {}): Promise<{
  readonly pod: Manifest['spec']['template']['spec'];
  readonly manifests: readonly Manifest[];
}> {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const text = await run(helm, ['template', 'hamlet', join(ROOT, 'charts/hamlet'), '--values', file]);
  const manifests = parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
  const pod = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'hamlet-broker');
  assert.ok(pod !== undefined);
  return { pod: pod.spec.template.spec, manifests };
}

test('the chart declares the authority without content, and only the first container of the broker has a right to it', async () => {
  const { pod, manifests } = await brokerIn();
  const named = manifests.filter(({ metadata }) => metadata.name === 'hamlet-ca');
  assert.deepEqual(named.map(({ kind }) => kind).toSorted(), ['ConfigMap', 'Secret']);
  for (const manifest of named) assert.ok(!('data' in manifest) && !('stringData' in manifest), manifest.kind);
  assert.deepEqual(
    manifests.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'hamlet-broker')?.rules,
    [
      {
        apiGroups: [''],
        resources: ['secrets', 'configmaps'],
        resourceNames: ['hamlet-ca'],
        verbs: ['get', 'patch'],
      },
    ],
  );
  const mounts = (containers: readonly Container[] = []): unknown =>
    containers.map(({ name, volumeMounts = [] }) => [name, ...volumeMounts.map((mount) => mount.name)]);
  assert.deepEqual(
    [mounts(pod.initContainers), mounts(pod.containers)],
    [[['authority', 'ca', 'kubernetes']], [['broker', 'ca', 'token']]],
  );
  for (const { kind, metadata, spec } of manifests)
    if (['Deployment', 'StatefulSet', 'Job'].includes(kind))
      assert.doesNotMatch(JSON.stringify(spec), /"secretName":"hamlet-ca"/, metadata.name);
});

interface Peer {
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly namespaceSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
}
interface NetworkRule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port?: number }[];
}

test('agents reach two ports and no DNS; only agents use the broker, and only named namespaces read its metrics', async () => {
  const policy = async (
    name: string,
    values: object = {},
  ): Promise<{ ingress?: NetworkRule[]; egress: NetworkRule[] }> =>
    (await brokerIn(values)).manifests.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name)
      ?.spec as unknown as { ingress?: NetworkRule[]; egress: NetworkRule[] };
  const agents = await policy('hamlet-agents');
  assert.equal(agents.ingress, undefined);
  assert.deepEqual(
    agents.egress.map(({ to = [], ports }) => [
      to.map(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component']),
      ports.map(({ port }) => port),
    ]),
    [
      [['api'], [8081]],
      [['broker'], [3128]],
    ],
  );
  const closed = (await policy('hamlet-broker')).ingress ?? [];
  assert.deepEqual(
    closed.map(({ ports }) => ports.map(({ port }) => port)),
    [[3128]],
  );
  const scraped = (await policy('hamlet-broker', { monitoring: { scraperNamespaces: ['watch'] } })).ingress ?? [];
  assert.deepEqual(scraped.at(-1)?.from, [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'watch' } } },
  ]);
});
