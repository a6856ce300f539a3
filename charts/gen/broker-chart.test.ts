/** Renders the chart with helm and checks the broker. */
import assert from 'node:assert/strict';
import { test } from '@hamlet/test/env/cluster-test';
import { render, type Container, type Manifest } from './testing/render.ts';

/** Renders the chart and returns the broker's pod and all manifests. */
async function brokerIn(values: object = {}): Promise<{
  readonly pod: Manifest['spec']['template']['spec'];
  readonly manifests: readonly Manifest[];
}> {
  const { manifests } = await render(values);
  const pod = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'hamlet-broker');
  assert.ok(pod !== undefined);
  return { pod: pod.spec.template.spec, manifests };
}

test("the chart creates the CA Secret empty, and only the broker's init container can write it", async () => {
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

test('agents reach only two ports and no DNS; only agents reach the broker, and only listed namespaces read its metrics', async () => {
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
  const scrapers = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'watch' } } }];
  assert.deepEqual(scraped.at(-1)?.from, scrapers);
  for (const part of ['hamlet-api', 'hamlet-operator']) {
    const ports = async (values: object = {}) =>
      ((await policy(part, values)).ingress ?? []).filter(({ ports: open }) => open.some(({ port }) => port === 9090));
    assert.deepEqual(await ports(), [], `${part}: closed without a scraper`);
    const [open] = await ports({ monitoring: { scraperNamespaces: ['watch'] } });
    assert.deepEqual(open?.from, scrapers, part);
  }
});
