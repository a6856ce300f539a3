/** Helm upgrades the CRDs of every released version on a real API server, and no object loses data. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION } from '@hamlet/contract/kinds';
import type { KubeClient, KubeObject, ResourceType } from '@hamlet/kube';
import { CRDS, testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { parse, parseAllDocuments } from 'yaml';
import { program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';
import { testFolder } from '@hamlet/test/env/at-end';

/** The CRDs of earlier charts, in a folder for each version. A released version never changes. */
const RELEASED = join(ROOT, 'charts/gen/testing/released');
const CHART = join(ROOT, 'charts/hamlet-crds');

type Properties = Readonly<Record<string, Schema>>;
interface Schema {
  readonly type?: string;
  readonly properties?: Properties;
  readonly items?: Schema;
}
interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}
type Stored = KubeObject & { readonly spec: Readonly<Record<string, unknown>>; readonly status?: unknown };

const OBJECTS: readonly { readonly plural: string; readonly object: object; readonly status?: object }[] = [
  {
    plural: 'agents',
    object: {
      kind: 'Agent',
      metadata: { name: 'ada' },
      spec: {
        displayName: 'Ada',
        entitlement: { policy: 'Pinned', name: 'tier-2' },
        persona: { identity: 'keeps the workshop' },
      },
    },
    status: {
      cycle: 7,
      tier: 'tier-2',
      nodeName: 'sparky1',
      podName: 'ada-7',
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-11-22T10:00:00Z' },
      ],
    },
  },
  {
    plural: 'agents',
    object: { kind: 'Agent', metadata: { name: 'bob' }, spec: { power: 'Asleep', loop: { every: '1m' } } },
  },
  {
    plural: 'entitlements',
    object: {
      kind: 'Entitlement',
      metadata: { name: 'tier-0' },
      spec: { rank: 0, limits: { requestsPerMinute: 60, concurrentTools: 1, tokensPerHour: 1_000 } },
    },
  },
  {
    plural: 'entitlements',
    object: {
      kind: 'Entitlement',
      metadata: { name: 'tier-2' },
      spec: {
        rank: 2,
        minBalance: '100',
        limits: { requestsPerMinute: 600, concurrentTools: 4, tokensPerHour: 9_000 },
        compute: { gpu: { resourceName: 'nvidia.com/gpu', mode: 'Shared', count: 1 } },
      },
    },
  },
  {
    plural: 'schedules',
    object: {
      kind: 'Schedule',
      metadata: { name: 'hourly' },
      spec: { agentName: 'ada', prompt: 'Look around.', every: '1h' },
    },
  },
];

let kube: TestApiServer;
const folder = testFolder('crd-upgrade');
let namespace = '';

function typeOf(plural: string): ResourceType {
  return { group: 'hamlet.village', version: 'v1alpha1', plural, kind: 'Any' };
}

function crdsIn(at: string): readonly Crd[] {
  return readdirSync(at)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => parse(readFileSync(join(at, file), 'utf8')) as Crd);
}

function chartOf(release: string): string {
  const chart = join(folder, release);
  cpSync(CHART, chart, { recursive: true });
  // In the repository `files` is a link to the present CRDs.
  rmSync(join(chart, 'files'));
  cpSync(join(RELEASED, release), join(chart, 'files'), { recursive: true });
  return chart;
}

async function helm(...args: readonly string[]): Promise<void> {
  await run(await program('helm'), ['--namespace', 'kube-system', ...args], { env: { KUBECONFIG: kube.kubeconfig } });
}

async function read(client: KubeClient, plural: string, object: object): Promise<Stored> {
  const { name } = (object as { metadata: { name: string } }).metadata;
  return client.get<Stored>(typeOf(plural), { namespace, name });
}

function readAll(): Promise<readonly Stored[]> {
  return Promise.all(OBJECTS.map(({ plural, object }) => read(kube.client, plural, object)));
}

before(async () => {
  kube = await testApiServer();
  namespace = await kube.namespace();
});
after(async () => {
  await kube.remove();
});

/** Lists fields that the new schema drops or gives another type. */
function lost(before: Schema, now: Schema | undefined, path: string): readonly string[] {
  if (now === undefined) return [`${path} is gone`];
  if (before.type !== now.type) return [`${path} was ${before.type} and is ${now.type}`];
  const ofItems = before.items === undefined ? [] : lost(before.items, now.items, `${path}[]`);
  return [
    ...ofItems,
    ...Object.entries(before.properties ?? {}).flatMap(([name, schema]) =>
      lost(schema, now.properties?.[name], `${path}.${name}`),
    ),
  ];
}

for (const release of readdirSync(RELEASED).toSorted()) {
  test(`every field of ${release} still exists with the same type`, () => {
    const now = new Map(crdsIn(join(ROOT, 'crds/bases')).map((crd) => [crd.metadata.name, crd]));
    for (const old of crdsIn(join(RELEASED, release))) {
      for (const { name, schema } of old.spec.versions) {
        const version = now.get(old.metadata.name)?.spec.versions.find((each) => each.name === name);
        assert.deepEqual(
          lost(schema.openAPIV3Schema, version?.schema.openAPIV3Schema, `${old.spec.names.kind} ${name}`),
          [],
        );
      }
    }
  });

  test(`an upgrade from ${release} keeps uids and statuses, and objects can still be changed`, async () => {
    await helm('upgrade', '--install', 'hamlet-crds', chartOf(release), '--wait');
    for (const { plural, object, status } of OBJECTS) {
      const { metadata } = object as { metadata: { name: string } };
      await kube.client.apply(
        typeOf(plural),
        { apiVersion: API_VERSION, ...object, metadata: { ...metadata, namespace } } as never,
        { fieldManager: 'kubectl' },
      );
      if (status !== undefined)
        await kube.client.mergePatch(
          typeOf(plural),
          { status },
          { namespace, name: metadata.name, subresource: 'status' },
        );
    }
    const before = await readAll();

    await helm('upgrade', '--install', 'hamlet-crds', CHART, '--wait');
    const after = await readAll();
    assert.deepEqual(
      after.map(({ metadata }) => metadata.uid),
      before.map(({ metadata }) => metadata.uid),
    );
    for (const [index, { spec, status }] of before.entries()) {
      assert.partialDeepStrictEqual(
        after[index]?.spec,
        spec,
        'all written fields are there; new defaults may have been added',
      );
      assert.deepEqual(after[index]?.status, status);
    }
    for (const { plural, object } of OBJECTS) {
      const { metadata } = object as { metadata: { name: string } };
      await kube.client.mergePatch(
        typeOf(plural),
        { metadata: { annotations: { 'example.org/touched': release } } },
        { namespace, name: metadata.name },
      );
      const { status } = await kube.client.get<KubeObject & { status: { storedVersions: readonly string[] } }>(CRDS, {
        name: `${plural}.hamlet.village`,
      });
      assert.deepEqual(status.storedVersions, ['v1alpha1']);
    }
  });
}

test('uninstalling the chart keeps the CRDs and their objects, and the chart installs again', async () => {
  const before = await readAll();
  await helm('uninstall', 'hamlet-crds', '--wait');
  assert.deepEqual(await readAll(), before);
  await helm('upgrade', '--install', 'hamlet-crds', CHART, '--wait');
  assert.deepEqual(await readAll(), before);
});

test('the chart has every CRD', async () => {
  const text = await run(await program('helm'), ['template', 'hamlet-crds', CHART]);
  const names = parseAllDocuments(text)
    .map(
      (document) => document.toJS() as { readonly kind: string; readonly metadata: { readonly name: string } } | null,
    )
    .filter((manifest) => manifest?.kind === 'CustomResourceDefinition')
    .map((manifest) => `${manifest?.metadata.name}`.replace(/^(\w+)\.(.*)$/, '$2_$1.yaml'));
  assert.deepEqual(names.toSorted(), readdirSync(join(ROOT, 'crds/bases')).toSorted());
  assert.equal(names.length, 3);
});
