/** Renders the charts with helm: refused values, and rules for every pod. */
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { test } from '@hamlet/test/env/cluster-test';
import { FINALIZER_POLICY, operatorPolicies, type OPERATOR_POLICIES } from '../../operator/src/rights/policies.ts';
import { program } from '../../local/village/cluster.ts';
import { tryRun } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';
import { render, type Manifest, type Rendered } from './testing/render.ts';

const WORKLOADS = ['api', 'api-more', 'broker', 'operator', 'postgres', 'redis'].map((name) => `hamlet-${name}`);
const template = (values: object, ...flags: readonly string[]): Promise<Rendered> =>
  render(values, '--namespace', 'meadow', ...flags);

async function workloads(values: object = {}): Promise<readonly Manifest[]> {
  const { code, output, manifests } = await template(values);
  assert.equal(code, 0, output);
  return manifests.filter(
    ({ metadata, kind }) => WORKLOADS.includes(metadata.name) && ['Deployment', 'StatefulSet'].includes(kind),
  );
}

test('both charts pass helm lint', async () => {
  const { code, output } = await tryRun(await program('helm'), [
    'lint',
    '--strict',
    join(ROOT, 'charts/hamlet-crds'),
    join(ROOT, 'charts/hamlet'),
  ]);
  assert.equal(code, 0, output);
});

test('every pod of the chart runs as an unprivileged user with a read-only image', async () => {
  const found = await workloads();
  assert.deepEqual(found.map(({ metadata }) => metadata.name).toSorted(), WORKLOADS);
  for (const { metadata, spec } of found) {
    const { containers, securityContext } = spec.template.spec;
    assert.partialDeepStrictEqual(
      securityContext,
      { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      metadata.name,
    );
    for (const container of containers) {
      assert.deepEqual(
        container.securityContext,
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        container.name,
      );
      assert.ok(
        container.resources.limits['memory'] !== undefined &&
          container.readinessProbe !== undefined &&
          container.livenessProbe !== undefined,
        container.name,
      );
    }
  }
});

/** Lists the containers that read the Secret key into an environment variable, as `workload/container`. */
async function holdersOf(secret: string, key: string): Promise<readonly string[]> {
  return (await workloads()).flatMap(
    ({
      metadata,
      spec: {
        template: { spec },
      },
    }) =>
      [...(spec.initContainers ?? []), ...spec.containers]
        .filter(({ env }) =>
          env?.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === secret && valueFrom.secretKeyRef.key === key),
        )
        .map(({ name }) => `${metadata.name}/${name}`),
  );
}

test("only the API's init container has the database owner's password, and no service account of the village can read its Secrets", async () => {
  assert.deepEqual((await holdersOf('hamlet-postgres-owner', 'ownerPassword')).toSorted(), [
    'hamlet-api-more/migrate',
    'hamlet-api/migrate',
    'hamlet-postgres/postgres',
  ]);
  assert.deepEqual(await holdersOf('hamlet-postgres', 'superuserPassword'), ['hamlet-postgres/postgres']);
  const { manifests } = await template({});
  const api = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'hamlet-api')?.spec
    .template.spec;
  assert.deepEqual(
    api?.initContainers?.map(({ name, command }) => [name, command]),
    [['migrate', ['node', 'api/server/src/main.ts', '--migrate']]],
  );
  assert.doesNotMatch(JSON.stringify(api?.containers), /owner/i);
  for (const { kind, metadata, rules } of manifests)
    if (kind.endsWith('Role'))
      assert.doesNotMatch(JSON.stringify(rules ?? []), /"secrets"(?!.*"hamlet-ca")/, metadata.name);
});

const POLICIES = ['--api-versions', 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy'];

test('an admission policy adds the finalizer to agents of this village, if Kubernetes supports such policies', async () => {
  const { manifests } = await template({}, ...POLICIES);
  const [policy, binding] = ['', 'Binding'].map((suffix) =>
    manifests.find(({ kind }) => kind === `MutatingAdmissionPolicy${suffix}`),
  );
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'meadow' } } };
  assert.deepEqual(
    [policy?.spec, binding?.spec],
    [FINALIZER_POLICY, { policyName: policy?.metadata.name, matchResources }],
  );
  const { stdout } = await tryRun(await program('helm'), [
    'template',
    'hamlet',
    join(ROOT, 'charts/hamlet'),
    '--kube-version',
    '1.33.0',
  ]);
  assert.doesNotMatch(stdout, /MutatingAdmissionPolicy/);
});

test('an admission policy limits the operator to pods and volume claims of agents, and requires user namespaces when they are on', async () => {
  const { manifests } = await template({});
  const specOf = (name: string): object =>
    manifests.find(({ kind, metadata }) => kind === 'ValidatingAdmissionPolicy' && metadata.name.startsWith(name))
      ?.spec ?? {};
  const image = /HAMLET_AGENT_IMAGE","value":"([^"]+)"/.exec(JSON.stringify(manifests))?.[1] ?? '';
  assert.match(image, /^hamlet\/agent:/);
  const policies = Object.fromEntries(
    operatorPolicies('default', image)
      .filter(({ type }) => type.kind === 'ValidatingAdmissionPolicy')
      .map(({ object }) => [object.metadata.name, (object as { readonly spec?: object }).spec]),
  );
  const wanted = (name: string): object => (policies[`hamlet-operator-${name}.default`] ?? {}) as object;
  for (const name of ['claims', 'agents', 'networks'])
    assert.deepEqual(specOf(`hamlet-operator-${name}`), wanted(name));
  const { validations, ...rest } = wanted('pods') as typeof OPERATOR_POLICIES.pods;
  const inUserNamespace = {
    expression: 'has(object.spec.hostUsers) && !object.spec.hostUsers',
    message: 'the operator creates only pods with a user namespace of their own',
    reason: 'Forbidden',
  };
  assert.deepEqual(specOf('hamlet-operator-pods'), { ...rest, validations: [...validations, inUserNamespace] });
  const off = await template({ agentPods: { userNamespaces: 'Off' } });
  assert.deepEqual(
    off.manifests.find(
      ({ kind, metadata }) => kind === 'ValidatingAdmissionPolicy' && metadata.name.startsWith('hamlet-operator-pods'),
    )?.spec,
    wanted('pods'),
  );
  const bindings = manifests.filter(
    ({ kind, metadata }) => kind === 'ValidatingAdmissionPolicyBinding' && metadata.name.startsWith('hamlet-operator-'),
  );
  const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'meadow' } } };
  assert.deepEqual(
    bindings.map(({ spec, metadata: { name } }) => [name, spec]),
    ['agents', 'claims', 'networks', 'pods'].map((what) => [
      `hamlet-operator-${what}.meadow`,
      { policyName: `hamlet-operator-${what}.meadow`, validationActions: ['Deny'], matchResources },
    ]),
  );
});

test('cluster-scoped names contain the village', async () => {
  const { manifests } = await template({}, ...POLICIES);
  const clusterScoped = manifests.filter(({ kind }) =>
    /^(ClusterRole|ClusterRoleBinding|(Validating|Mutating)AdmissionPolicy(Binding)?)$/.test(kind),
  );
  assert.ok(clusterScoped.length >= 6);
  for (const { kind, metadata } of clusterScoped) assert.match(metadata.name, /\.meadow$/, kind);
  for (const { subjects } of manifests) for (const subject of subjects ?? []) assert.equal(subject.namespace, 'meadow');
});

test('core.nodeName places the core on one node', async () => {
  const selectors = (await workloads({ core: { nodeName: 'sparky1' } })).map(({ metadata, spec }) => [
    metadata.name,
    spec.template.spec.nodeSelector,
  ]);
  const there = { 'kubernetes.io/hostname': 'sparky1' };
  assert.deepEqual(Object.fromEntries(selectors), {
    'hamlet-api': there,
    'hamlet-api-more': undefined,
    'hamlet-broker': undefined,
    'hamlet-operator': undefined,
    'hamlet-postgres': there,
    'hamlet-redis': there,
  });
});

test('values set the registry, the tag or the whole reference of an image', async () => {
  const images = async (values: object): Promise<readonly string[]> =>
    (await workloads(values)).map(({ spec }) => spec.template.spec.containers[0]?.image ?? '').toSorted();
  assert.deepEqual(await images({}), [
    'hamlet/api:0.1.0',
    'hamlet/api:0.1.0',
    'hamlet/api:0.1.0',
    'hamlet/operator:0.1.0',
    'postgres:18',
    'redis:8',
  ]);
  assert.deepEqual(await images({ image: { registry: 'example.org/team/', tag: 'v2' } }), [
    'example.org/team/hamlet/api:v2',
    'example.org/team/hamlet/api:v2',
    'example.org/team/hamlet/api:v2',
    'example.org/team/hamlet/operator:v2',
    'postgres:18',
    'redis:8',
  ]);
  assert.deepEqual(await images({ images: { api: 'a:1', operator: 'o:1', postgres: 'p:1', redis: 'r:1' } }), [
    'a:1',
    'a:1',
    'a:1',
    'o:1',
    'p:1',
    'r:1',
  ]);
});

test('values define tiers and agents, null removes one, and the chart refuses spec.power', async () => {
  const { manifests } = await template({ agents: { bob: null, eve: { displayName: 'Eve' } } });
  const names = (kind: string): readonly string[] =>
    manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name);
  assert.deepEqual(names('Agent').toSorted(), ['ada', 'eve']);
  assert.deepEqual(names('Entitlement').toSorted(), ['tier-0', 'tier-1', 'tier-2']);
  for (const { kind, spec } of manifests)
    if (kind === 'Agent') assert.equal('power' in spec || 'rebootedAt' in spec, false);
});

const REFUSED: Readonly<Record<string, object>> = {
  'a misspelt value': { api: { replica: 2 } },
  'a value of another chart': { nodeSelector: {} },
  'no replicas': { api: { replicas: 0 } },
  'an unknown pull policy': { image: { pullPolicy: 'Sometimes' } },
  'a key that can be guessed': { api: { keys: { adminToken: 'secret' } } },
  'a key of a role that does not exist': { api: { keys: { rootToken: 'abcdefghijklmnopqrstuvwxyz' } } },
  'resources that are not a quantity': { redis: { resources: { limits: { memory: 'much' } } } },
  'an invalid node name': { core: { nodeName: 'Not A Node' } },
  'an agent with an unknown field': { agents: { eve: { persona: { identiti: 'x' } } } },
  'an agent that the chart would put to sleep': { agents: { ada: { power: 'Asleep' } } },
  'an agent whose name is too long': { agents: { ['e'.repeat(41)]: {} } },
  'a tier without a rank': { entitlements: { gold: { limits: {} } } },
};

for (const [what, values] of Object.entries(REFUSED)) {
  test(`refused: ${what}`, async () => {
    const { code, output } = await template(values);
    assert.notEqual(code, 0);
    assert.match(output, /values don't meet the specifications of the schema/);
  });
}

async function apiOf(
  values: object,
  name = 'hamlet-api',
): Promise<{ readonly environment: ReadonlyMap<string, string | undefined>; readonly surge: number }> {
  const api = (await workloads(values)).find(({ metadata }) => metadata.name === name);
  const container = api?.spec.template.spec.containers[0];
  return {
    environment: new Map(container?.env?.map(({ name, value }) => [name, value])),
    surge: api?.spec.strategy?.rollingUpdate.maxSurge ?? Number.NaN,
  };
}

test('one api replica stores checkpoints on a volume, and its old pod ends first unless core.nodeName is set', async () => {
  const alone = await apiOf({});
  assert.deepEqual([alone.environment.get('HAMLET_LOG_DIR'), alone.surge], ['/var/lib/hamlet-log', 0]);
  assert.equal((await apiOf({ core: { nodeName: 'sparky1' } })).surge, 1);
  const many = await apiOf({}, 'hamlet-api-more');
  assert.deepEqual([many.environment.has('HAMLET_LOG_DIR'), many.surge], [false, 1]);
  assert.equal(
    many.environment.get('HAMLET_LOG_KEY_FILE'),
    '/etc/hamlet/log/key.pem',
    'all replicas sign with one key',
  );
});

test('API, operator and broker have two replicas each, on different nodes, which leave a lost node after 30 s', async () => {
  const found = (await workloads()).filter(({ metadata }) => /api|operator|broker/.test(metadata.name));
  assert.deepEqual(found.map(({ metadata, spec }) => [metadata.name, spec.replicas]).toSorted(), [
    ['hamlet-api', 1],
    ['hamlet-api-more', 1],
    ['hamlet-broker', 2],
    ['hamlet-operator', 2],
  ]);
  for (const {
    metadata,
    spec: { template },
  } of found) {
    const { affinity, dnsConfig, tolerations } = template.spec;
    assert.deepEqual(
      dnsConfig,
      {
        options: [
          { name: 'timeout', value: '1' },
          { name: 'attempts', value: '4' },
        ],
      },
      'pods do not wait for a DNS server on a lost node',
    );
    const [{ weight, podAffinityTerm }] = affinity?.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [
      { weight: 0, podAffinityTerm: undefined },
    ];
    const component = metadata.name.replace(/^hamlet-|-more$/g, '');
    assert.deepEqual(
      [weight, podAffinityTerm],
      [
        100,
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: {
            matchLabels: { 'app.kubernetes.io/name': 'hamlet', 'app.kubernetes.io/component': component },
          },
        },
      ],
    );
    assert.deepEqual(
      tolerations?.map(({ key, tolerationSeconds }) => `${key} ${tolerationSeconds}`),
      ['node.kubernetes.io/not-ready 30', 'node.kubernetes.io/unreachable 30'],
    );
  }
  const names = (await workloads({ api: { replicas: 1 } })).map(({ metadata }) => metadata.name);
  assert.ok(names.includes('hamlet-api') && !names.includes('hamlet-api-more'));
});

test('PayPal and OpenID are off by default, and need all their values when they are on', async () => {
  const { environment } = await apiOf({});
  assert.equal(environment.get('HAMLET_PAYPAL'), 'off');
  assert.ok(!environment.has('HAMLET_OIDC_ISSUER'));
  assert.match(
    (await template({ payments: { paypal: { mode: 'live' } } })).output,
    /payments.paypal.secretName: name the Secret/,
  );
  assert.match(
    (await template({ oidc: { issuer: 'https://id.example.org' } })).output,
    /oidc.clientId: write the client id/,
  );
  const signIn = await apiOf({
    ingress: { host: 'village.example.org' },
    oidc: { issuer: 'https://id.example.org', clientId: 'hamlet', secretName: 'oidc', adminGroups: ['a', 'b'] },
  });
  assert.deepEqual(
    ['PUBLIC_URL', 'OIDC_ADMIN_GROUPS', 'OIDC_CLIENT_SECRET_FILE'].map((name) =>
      signIn.environment.get(`HAMLET_${name}`),
    ),
    ['https://village.example.org', 'a,b', '/etc/hamlet/oidc/clientSecret'],
  );
});

test('mail is off by default, and needs a sender, an address of the village and the Secret of its user', async () => {
  const host = { host: 'smtp.example.org' };
  const ingress = { host: 'village.example.org' };
  const named = { ...host, from: 'village@example.org' };
  assert.ok(!(await apiOf({})).environment.has('HAMLET_MAIL_HOST'));
  const problem = async (values: object) => (await template(values)).output;
  assert.match(await problem({ mail: named }), /mail.host: set ingress.host or oidc.publicUrl too/);
  assert.match(await problem({ mail: host, ingress }), /mail.from: write the address of the sender/);
  assert.match(await problem({ mail: { ...named, user: 'u' }, ingress }), /mail.secretName: name your Secret/);
  assert.match(await problem({ mail: { ...named, from: 'a@b.example, c@d.example' }, ingress }), /mail/);
  const { environment } = await apiOf({ mail: { ...named, user: 'u', secretName: 'smtp' }, ingress });
  assert.deepEqual(
    ['HOST', 'PORT', 'TLS', 'FROM', 'USER', 'PASSWORD_FILE'].map((name) => environment.get(`HAMLET_MAIL_${name}`)),
    ['smtp.example.org', '587', 'starttls', 'village@example.org', 'u', '/etc/hamlet/mail/password'],
  );
});

test('push is off by default, needs a way to reach the operator, and brings a key on P-256 that an upgrade keeps', async () => {
  const ingress = { host: 'village.example.org' };
  assert.doesNotMatch((await template({})).text, /hamlet-push|HAMLET_PUSH/);
  const problem = async (push: object) => (await template({ push: { enabled: true, ...push } })).output;
  assert.match(await problem({}), /push.enabled: set push.contact, ingress.host or oidc.publicUrl too/);
  assert.match(await problem({ contact: 'you@example.org' }), /push.contact|push\/contact/);
  assert.match(await problem({ contact: 'mailto:you@example.org', hosts: ['https://push.example.org'] }), /push/);
  const push = { enabled: true, hosts: ['push.example.org', '*.push.example'] };
  const { environment } = await apiOf({ push, ingress });
  assert.deepEqual(
    ['KEY_FILE', 'CONTACT', 'HOSTS'].map((name) => environment.get(`HAMLET_PUSH_${name}`)),
    ['/etc/hamlet/push/key.pem', undefined, 'push.example.org,*.push.example'],
  );
  const { text } = await template({ push, ingress });
  assert.equal(text.match(/secretName: hamlet-push/g)?.length, 2, 'both Deployments of the api');
  const secret = text.split('\n---\n').find((each) => /kind: Secret[\s\S]*name: hamlet-push/.test(each)) ?? '';
  assert.match(secret, /resource-policy: keep/);
  const [, pem = ''] = /key.pem: (\S+)/.exec(secret) ?? [];
  assert.equal(createPrivateKey(Buffer.from(pem, 'base64').toString()).asymmetricKeyDetails?.namedCurve, 'prime256v1');
});

test('the API trusts the addresses that an Ingress forwards; without an Ingress it trusts only its own pod', async () => {
  const trusted = async (ingress: object): Promise<readonly (string | undefined)[]> => {
    const { environment } = await apiOf({ ingress });
    return ['PROXIES', 'PROXY_HOPS'].map((name) => environment.get(`HAMLET_TRUSTED_${name}`));
  };
  assert.deepEqual(await trusted({}), [undefined, undefined]);
  assert.deepEqual(await trusted({ host: 'village.example.org' }), ['loopback,uniquelocal', '1']);
  assert.deepEqual(await trusted({ host: 'village.example.org', trustedProxies: '10.42.0.0/16', proxyHops: 2 }), [
    'loopback,10.42.0.0/16',
    '2',
  ]);
});
