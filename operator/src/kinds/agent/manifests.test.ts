import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { agentOf, SETTINGS, specOf, tierOf, TIER_0, TIER_1, TIER_2 } from './testing/sample-state.ts';
import type { TierView } from '../../objects/cached-objects.ts';
import { fixedOf } from '../../objects/tier-compute.ts';
import { podManifest, type PodPlan } from './pod-manifest.ts';

interface Spec {
  readonly containers: readonly { readonly name: string; readonly resources: unknown }[];
  readonly resourceClaims?: unknown;
  readonly priorityClassName?: string;
  readonly affinity?: unknown;
  readonly dnsPolicy?: string;
  readonly dnsConfig?: unknown;
  readonly hostAliases?: unknown;
  readonly topologySpreadConstraints?: readonly { readonly whenUnsatisfiable: string }[];
}

function specWith(tier: TierView, placement: object = {}, nodes: Pick<PodPlan, 'seat'> = {}): Spec {
  const spec = specOf({ placement });
  return (
    podManifest({ agent: agentOf(), spec, tier, cycle: 1, settings: SETTINGS, ...nodes }) as unknown as {
      readonly spec: Spec;
    }
  ).spec;
}

const handsOf = <T extends { readonly name: string }>({
  containers,
}: {
  readonly containers: readonly T[];
}): T | undefined => containers.find(({ name }) => name === 'hands');

test('pods get no GPU, shares of a GPU, whole GPUs, or another device resource, according to the tier', () => {
  const resources = (gpu: object): unknown => handsOf(specWith(tierOf('t', 0, { compute: { gpu } })))?.resources;
  const limits = { cpu: '500m', memory: '512Mi', 'ephemeral-storage': '4Gi' };
  const requests = { cpu: '250m', memory: '256Mi', 'ephemeral-storage': '64Mi' };
  assert.deepEqual(resources({ mode: 'None' }), { limits, requests });
  assert.deepEqual(resources({ mode: 'Shared', count: 1 }), {
    limits: { ...limits, 'nvidia.com/gpu': '1' },
    requests: { ...requests, 'nvidia.com/gpu': '1' },
  });
  assert.deepEqual(resources({ mode: 'Exclusive', count: 2 }), {
    limits: { ...limits, 'nvidia.com/gpu': '2' },
    requests: { ...requests, 'nvidia.com/gpu': '2' },
  });
  assert.deepEqual(resources({ mode: 'Shared', count: 1, resourceName: 'nvidia.com/gpu.shared' }), {
    limits: { ...limits, 'nvidia.com/gpu.shared': '1' },
    requests: { ...requests, 'nvidia.com/gpu.shared': '1' },
  });
});

test('with a claim template, the pod claims the device, the container uses it, and no resource is counted', () => {
  const spec = specWith(tierOf('t', 0, { compute: { gpu: { mode: 'Exclusive', claimTemplateName: 'whole-gpu' } } }));
  assert.deepEqual(spec.resourceClaims, [{ name: 'gpu', resourceClaimTemplateName: 'whole-gpu' }]);
  assert.deepEqual(handsOf(spec)?.resources, {
    limits: { cpu: '500m', memory: '512Mi', 'ephemeral-storage': '4Gi' },
    requests: { cpu: '250m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
    claims: [{ name: 'gpu' }],
  });
});

test('fixedOf is equal for two sizes, and differs for another GPU or priority', () => {
  assert.equal(fixedOf(TIER_0), fixedOf(TIER_1));
  assert.equal(fixedOf(TIER_2), 'nvidia.com/gpu=1 village-high');
  assert.equal(specWith(TIER_2).priorityClassName, 'village-high');
  const words = [
    { mode: 'Shared', count: 1 },
    { mode: 'Exclusive', count: 2 },
    { mode: 'Exclusive', claimTemplateName: 'whole-gpu' },
  ].map((gpu) => fixedOf(tierOf('t', 0, { compute: { gpu } })));
  assert.equal(new Set([...words, '']).size, 4);
});

test('the pinned node and the node of the seat are required, or preferred if the scheduler must choose; the spread follows the spec', () => {
  const term = (node: string): object => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] });
  assert.deepEqual(specWith(TIER_0, { nodeName: 'sparky2' }, { seat: 'sparky1' }).affinity, {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('sparky2')] } },
  });
  const must = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('sparky1')] } },
  };
  assert.deepEqual(specWith(TIER_0, {}, { seat: 'sparky1' }).affinity, must);
  const wish = {
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, preference: term('sparky1') }] },
  };
  const byTemplate = tierOf('t', 0, { compute: { gpu: { mode: 'Exclusive', claimTemplateName: 'whole-gpu' } } });
  for (const spec of [
    specWith(TIER_0, { spread: 'Required' }, { seat: 'sparky1' }),
    specWith(byTemplate, {}, { seat: 'sparky1' }),
  ])
    assert.deepEqual(spec.affinity, wish);
  assert.equal(specWith(TIER_0).affinity, undefined);
  assert.deepEqual(
    ['Required', 'Preferred', 'None'].map((spread) =>
      specWith(TIER_0, { spread }).topologySpreadConstraints?.map(({ whenUnsatisfiable }) => whenUnsatisfiable),
    ),
    [['DoNotSchedule'], ['ScheduleAnyway'], undefined],
  );
});

test('a pod resolves no name: it has no DNS and no host entries, and its resident knows API and broker by address', () => {
  const { dnsPolicy, dnsConfig, hostAliases } = specWith(TIER_0);
  assert.deepEqual([dnsPolicy, dnsConfig, hostAliases], ['None', { nameservers: ['127.0.0.1'] }, undefined]);
  const text = JSON.stringify(podWith({}).spec);
  assert.match(text, /"HAMLET_API_URL","value":"http:\/\/10\.96\.0\.11:8081"/);
  assert.match(text, /"HAMLET_BROKER_URL","value":"http:\/\/10\.96\.0\.12:3128"/);
});

test('both containers have the certificate of the village, unless the village has no broker', () => {
  const { spec, metadata } = podWith({});
  const mounted = ({ containers }: WholePod['spec']): unknown =>
    containers.map(({ volumeMounts }) => volumeMounts.filter(({ name }) => name === 'ca'));
  const mount = { name: 'ca', mountPath: '/etc/hamlet/ca', readOnly: true };
  assert.deepEqual(mounted(spec), [[mount], [mount]]);
  assert.deepEqual(
    spec.volumes.find(({ name }) => name === 'ca'),
    { name: 'ca', configMap: { name: 'hamlet-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  );
  assert.equal(metadata.annotations['hamlet.village/hosts'], 'hamlet-api-agents=10.96.0.11 hamlet-broker=10.96.0.12');
  assert.doesNotMatch(JSON.stringify(podWith({}, { brokerUrl: undefined }).spec), /hamlet-ca|BROKER/);
});

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly resources: unknown;
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly subPath?: string; readonly mountPath: string }[];
}

interface WholePod {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly hostUsers?: boolean;
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes: readonly { readonly name: string }[];
    readonly resourceClaims?: unknown;
  };
}

const podWith = (spec: object, settings: Partial<PodPlan['settings']> = {}, tier = TIER_0): WholePod =>
  podManifest({
    agent: agentOf(),
    spec: specOf({ ...spec }),
    tier,
    cycle: 1,
    settings: { ...SETTINGS, ...settings },
  }) as unknown as WholePod;

test('hands in a user namespace have the capabilities that their machine needs; real root may only bind low ports', () => {
  const made = (userNamespaces: 'On' | 'Off'): unknown => {
    const { spec } = podWith({}, { userNamespaces });
    return [spec.hostUsers, handsOf(spec)?.securityContext];
  };
  const confined = { privileged: false, allowPrivilegeEscalation: false, runAsUser: 0 };
  const add = [
    'CHOWN',
    'DAC_OVERRIDE',
    'FOWNER',
    'FSETID',
    'KILL',
    'NET_BIND_SERVICE',
    'SETGID',
    'SETUID',
    'SYS_CHROOT',
  ];
  assert.deepEqual(made('On'), [false, { ...confined, capabilities: { drop: ['ALL'], add } }]);
  assert.deepEqual(made('Off'), [
    undefined,
    { ...confined, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } },
  ]);
});

test('the resident has no rights and the same compute in every tier; each container sees only its own folders', () => {
  const { spec, metadata } = podWith({});
  const mounts = ({ volumeMounts }: Container): unknown =>
    volumeMounts.map(({ name, subPath = '', mountPath }) => [name, subPath, mountPath].join(' ').replace('  ', ' '));
  assert.deepEqual(
    [...spec.initContainers, ...spec.containers].map((container) => [container.name, mounts(container)]),
    [
      ['prepare', ['home mcp-memory /root/.mcp-memory', 'home hamlet /var/lib/hamlet']],
      ['hands', ['home workspace /workspace', 'home home /root', 'hands /run/hands', 'ca /etc/hamlet/ca']],
      [
        'resident',
        [
          'home mcp-memory /root/.mcp-memory',
          'home hamlet /var/lib/hamlet',
          'token /var/run/secrets/hamlet',
          'hands /run/hands',
          'ca /etc/hamlet/ca',
        ],
      ],
    ],
  );
  const residentIn = ({ containers }: WholePod['spec']): Container | undefined =>
    containers.find(({ name }) => name === 'resident');
  const resident = residentIn(spec);
  assert.deepEqual(resident?.securityContext, {
    privileged: false,
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    runAsUser: 1_000,
    runAsGroup: 1_000,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  assert.deepEqual(residentIn(podWith({}, {}, TIER_2).spec)?.resources, resident?.resources);
  assert.partialDeepStrictEqual(spec, {
    automountServiceAccountToken: false,
    serviceAccountName: 'hamlet-agent',
    terminationGracePeriodSeconds: 10,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  });
  const serviceAccountToken = { audience: 'hamlet-api', expirationSeconds: 3_600, path: 'token' };
  assert.deepEqual(
    spec.volumes.find(({ name }) => name === 'token'),
    { name: 'token', projected: { sources: [{ serviceAccountToken }] } },
  );
  assert.deepEqual(handsOf(spec)?.command, ['hamlet-hands', 'serve']);
  // The same bytes as the limit of the container, at which the kubelet evicts the pod.
  const { env, resources } = JSON.parse(JSON.stringify(handsOf(spec)));
  assert.deepEqual(env, [{ name: 'HAMLET_LAYER_BYTES', value: String(4 * 2 ** 30) }]);
  assert.equal(resources.limits['ephemeral-storage'], '4Gi');
  assert.equal(metadata.annotations['hamlet.village/hands'], SETTINGS.image);
});

test('the hands have the image of the spec; a pod without hands has neither their container nor their socket', () => {
  const image = 'example.org/team/hands:2';
  const own = podWith({ hands: { image } });
  assert.deepEqual(
    [own.spec.containers.map((container) => container.image), own.metadata.annotations['hamlet.village/hands']],
    [[SETTINGS.image, image], image],
  );
  const none = podWith({ hands: { enabled: false } });
  assert.deepEqual(
    [pluck(none.spec.containers, 'name'), pluck(none.spec.volumes, 'name')],
    [['resident'], ['home', 'token', 'ca']],
  );
  assert.equal(none.metadata.annotations['hamlet.village/hands'], '');
  assert.doesNotMatch(JSON.stringify(none.spec), /run\/hands|HANDS_SOCKET/);
});
