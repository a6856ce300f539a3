/** NetworkPolicies in addition to those of the chart, on a real API server. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import type { NewObject, ResourceType } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';
import { operatorPolicies } from './rights/policies.ts';

const NETWORK_POLICIES: ResourceType = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
};

let server: TestApiServer;
let namespace = '';
before(async () => {
  server = await testApiServer();
  namespace = await server.namespace();
  for (const { type, object } of operatorPolicies(namespace, 'hamlet/agent:1'))
    await server.client.apply(type, object, { fieldManager: 'test' });
  await until('the policy acts', async () => (await saysTo({ podSelector: {}, egress: [{}] })) !== '');
});
after(() => server.remove());

/** The refusal of a policy, in a dry run by a cluster admin; empty if the API server accepts it. */
const saysTo = (spec: object, name = 'more'): Promise<string> =>
  server.client
    .create(
      NETWORK_POLICIES,
      { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name, namespace }, spec } as NewObject,
      { namespace, query: { dryRun: 'All' } },
    )
    .then(() => '', String);

const OPEN = { policyTypes: ['Egress'], egress: [{}] };
const ROLE = 'hamlet.village/role';
const expression = (key: string, operator: string, values?: readonly string[]): object => ({
  podSelector: { matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] },
  ...OPEN,
});
const labels = (matchLabels: object): object => ({ podSelector: { matchLabels }, ...OPEN });

const REFUSED: Readonly<Record<string, object>> = {
  'all pods': { podSelector: {}, ...OPEN },
  'the role': labels({ [ROLE]: 'agent' }),
  'one agent': labels({ 'hamlet.village/agent': 'ada' }),
  'the name of the program': labels({ 'app.kubernetes.io/name': 'hamlet-agent' }),
  'the whole of Hamlet': labels({ 'app.kubernetes.io/part-of': 'hamlet' }),
  'a zone': labels({ 'topology.kubernetes.io/zone': 'a' }),
  'one of several roles': expression(ROLE, 'In', ['agent', 'other']),
  'an agent by its name': expression('hamlet.village/agent', 'In', ['ada']),
  'all but one agent': expression('hamlet.village/agent', 'NotIn', ['bob']),
  'another role left out': expression(ROLE, 'NotIn', ['model-server']),
  'every pod with a role': expression(ROLE, 'Exists'),
  'pods without a component': expression('app.kubernetes.io/component', 'DoesNotExist'),
  'egress without policyTypes': { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
  'an ingress': { podSelector: {}, ingress: [{}] },
};
for (const [what, spec] of Object.entries(REFUSED))
  test(`a NetworkPolicy that opens agents' pods by ${what} is refused`, async () => {
    assert.match(await saysTo(spec), /selects pods of agents, and its rules would add to theirs/);
  });

const ACCEPTED: Readonly<Record<string, object>> = {
  'closes all pods': { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
  'opens a part of the village': labels({ 'app.kubernetes.io/component': 'api' }),
  'opens other pods by a label of theirs': labels({ app: 'shop' }),
  'leaves agents out': expression(ROLE, 'NotIn', ['agent']),
  'selects pods without a role': expression(ROLE, 'DoesNotExist'),
  'selects another role': expression(ROLE, 'In', ['model-server']),
  'needs two labels of which an agent has one': labels({ [ROLE]: 'agent', app: 'shop' }),
};
for (const [what, spec] of Object.entries(ACCEPTED))
  test(`the API server accepts a NetworkPolicy that ${what}`, async () => assert.equal(await saysTo(spec), ''));

const component = (name: string): object => ({
  podSelector: { matchLabels: { 'app.kubernetes.io/name': 'hamlet', 'app.kubernetes.io/component': name } },
});
const rule = (name: string, port: number): object => ({ to: [component(name)], ports: [{ protocol: 'TCP', port }] });
const own = (egress: readonly object[], more: object = {}): object => ({
  podSelector: { matchLabels: { [ROLE]: 'agent' } },
  policyTypes: ['Ingress', 'Egress'],
  egress,
  ...more,
});
const RULES = [rule('api', 8081), rule('broker', 3128)];

test("the chart's own policy must have exactly its two rules", async () => {
  assert.equal(await saysTo(own(RULES), 'hamlet-agents'), '');
  const wrong: Readonly<Record<string, object>> = {
    'all hosts': own([...RULES, {}]),
    'another port of the API': own([rule('api', 8080), rule('broker', 3128)]),
    'the broker at the port of the API': own([rule('broker', 8081)]),
    Postgres: own([...RULES, rule('postgres', 5432)]),
    'a network': own([...RULES, { to: [{ ipBlock: { cidr: '0.0.0.0/0' } }], ports: [{ port: 3128 }] }]),
    'other namespaces': own([
      { to: [{ ...component('broker'), namespaceSelector: {} }], ports: [{ protocol: 'TCP', port: 3128 }] },
    ]),
    'a range of ports': own([{ to: [component('api')], ports: [{ protocol: 'TCP', port: 8081, endPort: 9090 }] }]),
    'no rules': own([]),
    'an ingress': own(RULES, { ingress: [{}] }),
    'egress alone': own(RULES, { policyTypes: ['Egress'] }),
    'one agent': own(RULES, { podSelector: { matchLabels: { [ROLE]: 'agent', 'hamlet.village/agent': 'ada' } } }),
  };
  for (const [what, spec] of Object.entries(wrong))
    assert.match(await saysTo(spec, 'hamlet-agents'), /hamlet-agents (has|selects)/, what);
});
