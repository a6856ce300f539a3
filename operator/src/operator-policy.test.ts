/** The limits of a compromised operator, with its own rights on a real API server. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { CLAIMS, PODS, type KubeClient, type NewObject } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { claimManifest } from './kinds/agent/volume-claim.ts';
import { podManifest } from './kinds/agent/pod-manifest.ts';
import type { CachedAgent } from './objects/cached-objects.ts';
import type { Settings } from './kinds/agent/facts.ts';
import { agentOf, SETTINGS, specOf, TIER_0, TIER_2 } from './kinds/agent/testing/sample-state.ts';
import { operatorMetrics } from './metrics.ts';
import { operatorClient } from './testing/test-village.ts';

let server: TestApiServer;
let client: KubeClient;
let namespace = '';
before(async () => {
  server = await testApiServer();
  await server.installCrds();
  namespace = await server.namespace();
  client = await operatorClient(server, namespace, { metrics: operatorMetrics(), image: SETTINGS.image });
});
after(async () => {
  await client.close();
  await server.remove();
});

interface Container {
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly securityContext: object;
}

interface Pod extends NewObject {
  readonly spec: {
    readonly volumes: readonly object[];
    readonly securityContext: object;
    readonly initContainers: readonly [object];
    readonly containers: readonly [Container, Container & { readonly env: readonly object[] }];
  };
}

const agent = (): CachedAgent => ({ ...agentOf(), metadata: { ...agentOf().metadata, namespace } });
const podWith = (settings: Partial<Settings> = {}, tier = TIER_0): Pod =>
  podManifest({ agent: agent(), spec: specOf(), tier, cycle: 1, settings: { ...SETTINGS, ...settings } }) as Pod;

/** The refusal of a pod in a dry run; empty if the API server accepts the pod. */
const saysTo = (pod: object): Promise<string> =>
  client.create(PODS, pod as NewObject, { namespace, query: { dryRun: 'All' } }).then(() => '', String);

const withSpec = (spec: object): object => ({ ...podWith(), spec: { ...podWith().spec, ...spec } });
const withContainer = (container: object): object => {
  const [hands, resident] = podWith().spec.containers;
  return withSpec({ containers: [{ ...resident, ...container }, hands] });
};
const withHands = (parts: object): object => {
  const [hands, resident] = podWith().spec.containers;
  return withSpec({ containers: [resident, { ...hands, ...parts }] });
};
const handsWith = (mount: object): object =>
  withHands({ volumeMounts: [...podWith().spec.containers[0].volumeMounts, { mountPath: '/more', ...mount }] });
/** The resident with one additional mount, or another one at the same place. */
const residentWith = (mount: { readonly mountPath: string } & Readonly<Record<string, unknown>>): object => {
  const others = podWith().spec.containers[1].volumeMounts.filter(({ mountPath }) => mountPath !== mount.mountPath);
  return withContainer({ volumeMounts: [...others, mount] });
};
const handsUnder = (more: object): object =>
  withHands({ securityContext: { ...podWith().spec.containers[0].securityContext, ...more } });
const prepared = (parts: object): object =>
  withSpec({ initContainers: [{ ...podWith().spec.initContainers[0], ...parts }] });
const withVolume = (volume: object): object =>
  withSpec({ volumes: [...podWith().spec.volumes, { name: 'more', ...volume }] });
const security = (more: object): object =>
  withContainer({ securityContext: { ...podWith().spec.containers[1].securityContext, ...more } });

const REFUSED: Readonly<Record<string, () => object>> = {
  'a Secret as a volume': () => withVolume({ secret: { secretName: 'hamlet-postgres-owner' } }),
  'a Secret in a projected volume': () =>
    withVolume({ projected: { sources: [{ secret: { name: 'hamlet-postgres-owner' } }] } }),
  'a token for another audience': () =>
    withVolume({
      projected: { sources: [{ serviceAccountToken: { audience: 'https://kubernetes.default.svc', path: 'token' } }] },
    }),
  'a directory of the node': () => withVolume({ hostPath: { path: '/' } }),
  'the volume of Postgres': () => withVolume({ persistentVolumeClaim: { claimName: 'data-hamlet-postgres-0' } }),
  'an environment from a Secret': () => withContainer({ envFrom: [{ secretRef: { name: 'hamlet-postgres-owner' } }] }),
  'a variable from a Secret': () =>
    withContainer({
      env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'hamlet-postgres-owner', key: 'ownerPassword' } } }],
    }),
  'another command of the resident': () => withContainer({ command: ['node', '-e', 'post(token)'] }),
  'arguments of the resident': () => withContainer({ args: ['-e', 'post(token)'] }),
  'a hook of the resident': () => withContainer({ lifecycle: { postStart: { exec: { command: ['sh'] } } } }),
  'a probe that runs a program in the resident': () => withContainer({ livenessProbe: { exec: { command: ['sh'] } } }),
  'options of Node for the resident': () =>
    withContainer({ env: [...podWith().spec.containers[1].env, { name: 'NODE_OPTIONS', value: '--require=/x.js' }] }),
  'an API at an address where the hands may listen': () => podWith({ apiUrl: 'http://127.0.0.1:9999' }),
  'an API at the number of loopback': () => podWith({ apiUrl: 'http://2130706433:9999' }),
  'a broker at an unspecified address': () => podWith({ brokerUrl: 'http://[::]:3128' }),
  ...Object.fromEntries(
    [
      '[0:0:0:0:0:0:0:1]',
      '[0::1]',
      '[0000::0001]',
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:0]',
      '[::ffff:127.0.0.1]',
      '[0:0:0:0:0:ffff:7f00:1]',
      '[::127.0.0.1]',
      '[::10.96.0.1]',
      '127.1.2.3',
      '0.0.0.0',
      '0177.0.0.1',
    ].map((host) => [`an API at ${host}`, () => podWith({ apiUrl: `http://${host}:8081` })]),
  ),
  'the workspace over the program of the resident': () =>
    residentWith({ name: 'home', subPath: 'workspace', mountPath: '/app' }),
  'the workspace at a place of the resident': () =>
    withContainer({
      volumeMounts: podWith().spec.containers[1].volumeMounts.map((mount) => ({ ...mount, subPath: 'workspace' })),
    }),
  'a folder of the resident by an expression': () =>
    residentWith({ name: 'hands', mountPath: '/run/hands', subPathExpr: 'x', readOnly: true }),
  'the whole volume of the agent in the place of the socket': () =>
    withSpec({
      volumes: podWith().spec.volumes.map((volume) =>
        'name' in volume && volume.name === 'hands'
          ? { name: 'hands', persistentVolumeClaim: { claimName: 'ada-home' } }
          : volume,
      ),
    }),
  'the workspace before the resident': () =>
    prepared({ volumeMounts: [{ name: 'home', subPath: 'workspace', mountPath: '/var/lib/hamlet' }] }),
  'the home of the hands at another place': () => handsWith({ name: 'home', subPath: 'home', mountPath: '/usr' }),
  'another service account': () => withSpec({ serviceAccountName: 'default' }),
  'a token of the service account': () => withSpec({ automountServiceAccountToken: true }),
  'the network of the node': () => withSpec({ hostNetwork: true, hostUsers: undefined }),
  'a privileged container': () => security({ privileged: true, allowPrivilegeEscalation: true }),
  'one more capability': () => security({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } }),
  'a third container': () => withSpec({ containers: [...podWith().spec.containers, { name: 'more', image: 'x' }] }),
  'a container of another name': () => withHands({ name: 'more' }),
  'another init container': () => prepared({ name: 'more' }),
  'another command before the resident': () => prepared({ command: ['sh', '-c', 'true'] }),
  'two init containers': () => {
    const [first] = podWith().spec.initContainers;
    return withSpec({ initContainers: [first, { ...first, name: 'more' }] });
  },
  'the token in the hands': () => handsWith({ name: 'token' }),
  'the journal in the hands': () => handsWith({ name: 'home', subPath: 'hamlet' }),
  'the memory in the hands': () => handsWith({ name: 'home', subPath: 'mcp-memory' }),
  'the whole volume in the hands': () => handsWith({ name: 'home' }),
  'a resident that is root': () => security({ runAsNonRoot: false, runAsUser: 0 }),
  'a resident that writes to its image': () => security({ readOnlyRootFilesystem: false }),
  'a resident with a capability': () => security({ capabilities: { drop: ['ALL'], add: ['CHOWN'] } }),
  'privileged hands': () =>
    withHands({
      securityContext: { privileged: true, allowPrivilegeEscalation: true, capabilities: { drop: ['ALL'] } },
    }),
  'hands without seccomp': () => handsUnder({ seccompProfile: { type: 'Unconfined' } }),
  'hands without AppArmor': () => handsUnder({ appArmorProfile: { type: 'Unconfined' } }),
  'no AppArmor at all': () =>
    withSpec({ securityContext: { ...podWith().spec.securityContext, appArmorProfile: { type: 'Unconfined' } } }),
  'no AppArmor by an annotation': () => ({
    ...podWith(),
    metadata: {
      ...podWith().metadata,
      annotations: { 'container.apparmor.security.beta.kubernetes.io/hands': 'unconfined' },
    },
  }),
  'a folder on the disk of the node': () => withVolume({ emptyDir: {} }),
  'a ConfigMap of the village': () => withVolume({ configMap: { name: 'hamlet-egress' } }),
  'DNS of the cluster': () => withSpec({ dnsPolicy: 'ClusterFirst' }),
  'a DNS server': () => withSpec({ dnsConfig: { nameservers: ['10.96.0.10'] } }),
  'another host': () => withSpec({ hostAliases: [{ ip: '10.96.0.1', hostnames: ['hamlet-broker'] }] }),
  'a resident that looks up the API by name': () => podWith({ hosts: [] }),
  'the certificate over the files of the system': () => handsWith({ name: 'ca', mountPath: '/etc', readOnly: true }),
  'another image of the resident': () => podWith({ image: 'hamlet/other:1' }),
  'no agent label': () => ({ ...podWith(), metadata: { ...podWith().metadata, labels: {} } }),
};

test('the operator may create pods of agents with all settings, even without hands', async () => {
  const settings = SETTINGS;
  const handless = podManifest({
    agent: agent(),
    spec: specOf({ hands: { enabled: false } }),
    tier: TIER_0,
    cycle: 1,
    settings,
  });
  const pods = [
    podWith({ userNamespaces: 'Off' }),
    podWith({ imagePullSecrets: ['pull'] }),
    podWith({ appArmor: 'RuntimeDefault' }),
    podWith({ brokerUrl: undefined }),
    podWith({ apiUrl: 'http://[fd00:10:96::5]:8081', brokerUrl: 'http://[2001:db8::1]:3128' }),
  ];
  for (const pod of [podWith(), handless, ...pods]) assert.equal(await saysTo(pod), '');
  const { priorityClassName: _priority, ...spec } = podWith({}, TIER_2).spec as Pod['spec'] & {
    readonly priorityClassName?: string;
  };
  assert.equal(await saysTo({ ...podWith({}, TIER_2), spec }), '');
});

for (const [what, pod] of Object.entries(REFUSED)) {
  test(`the operator may not create a pod with ${what}`, async () => {
    await until(`${what} is refused`, async () =>
      /ValidatingAdmissionPolicy 'hamlet-operator-pods/.test(await saysTo(pod())),
    );
  });
}

/** Changes of an agent's pod that a cluster admin requests, each with the beginning of the refusal. */
const CHANGES: Readonly<Record<string, readonly [change: (pod: LivePod) => LivePod, refusal: RegExp]>> = {
  'another image': [
    (pod) => ({ ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map((c) => ({ ...c, image: 'more' })) } }),
    /the images of a running agent cannot change/,
  ],
  'no role label': [(pod) => withLabels(pod, { 'hamlet.village/role': 'other' }), /the labels .* cannot change/],
  'the name of another agent': [
    (pod) => withLabels(pod, { 'hamlet.village/agent': 'bob' }),
    /the labels .* cannot change/,
  ],
};

interface LivePod extends NewObject {
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

const withLabels = (pod: LivePod, labels: object): LivePod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...(pod.metadata['labels'] as object), ...labels } },
});

test('no other user can create a pod of an agent, change it, or add a debug container', async () => {
  const admin = server.client;
  const refusal = (wanted: Promise<unknown>): Promise<string> => wanted.then(() => '', String);
  const dry = { namespace, query: { dryRun: 'All' } };
  for (const pod of [podWith(), withUnlabelled()])
    await until('a pod by an admin is refused', async () =>
      /only the operator makes pods of agents/.test(await refusal(admin.create(PODS, pod as NewObject, dry))),
    );
  const made = (await client.create(PODS, podWith() as NewObject, { namespace })) as LivePod;
  const at = { namespace, name: made.metadata.name, query: { dryRun: 'All' } };
  for (const [what, [change, expected]] of Object.entries(CHANGES))
    assert.match(await refusal(admin.mergePatch(PODS, changed(change(made)), at)), expected, what);
  assert.equal(await refusal(admin.mergePatch(PODS, { metadata: { annotations: { note: 'kept' } } }, at)), '');
  const debug = { spec: { ephemeralContainers: [{ name: 'debug', image: 'x', targetContainerName: 'resident' }] } };
  assert.match(
    await refusal(admin.mergePatch(PODS, debug, { ...at, subresource: 'ephemeralcontainers' })),
    /a pod of an agent gets no further container/,
  );
  await admin.delete(PODS, { namespace, name: made.metadata.name });
});

/** A pod that only has the service account of agents. */
const withUnlabelled = (): object => ({ ...podWith(), metadata: { ...podWith().metadata, labels: {} } });
const changed = ({ metadata, spec }: LivePod): object => ({
  metadata: { labels: metadata['labels'] },
  spec: { containers: spec.containers },
});

test('the operator may create, own and delete volume claims of agents, and no others', async () => {
  const claim = claimManifest(agent(), specOf(), SETTINGS);
  const refused = /ValidatingAdmissionPolicy 'hamlet-operator-claims/;
  const others = { ...claim, metadata: { name: 'data-hamlet-postgres-0', namespace } };
  await server.client.create(CLAIMS, others as NewObject, { namespace });
  const at = { namespace, name: 'data-hamlet-postgres-0' };
  await until('a foreign claim is kept', async () =>
    refused.test(await client.delete(CLAIMS, { ...at, query: { dryRun: 'All' } }).then(() => '', String)),
  );
  await assert.rejects(client.mergePatch(CLAIMS, { metadata: { labels: claim.metadata['labels'] } }, at), refused);
  await assert.rejects(
    client.create(CLAIMS, { ...others, metadata: { name: 'more', namespace } } as NewObject, { namespace }),
    refused,
  );
  const spec = {
    ...(claim as NewObject & { readonly spec: object }).spec,
    dataSource: { kind: 'PersistentVolumeClaim', name: 'data-hamlet-postgres-0' },
  };
  await assert.rejects(client.create(CLAIMS, { ...claim, spec } as NewObject, { namespace }), refused);
  await client.create(CLAIMS, claim, { namespace });
  const own = { namespace, name: claim.metadata.name };
  await client.mergePatch(CLAIMS, { metadata: { ownerReferences: [] } }, own);
  await client.delete(CLAIMS, own);
});
