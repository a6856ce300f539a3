/** The rights of the service accounts, checked by the real API server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../env/until.ts';
import { village, type Village } from '../env/village.ts';

const accountOf = (name: string): string => `system:serviceaccount:hamlet:hamlet-${name}`;
/** Gives the api far more rights than its Role, so that only the other defences can stop it. */
const TOO_MUCH = 'test-too-much-for-the-api';
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'test-by-the-api' },
  spec: { containers: [{ name: 'c', image: 'hamlet.local/none:1' }] },
};
const ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'test-by-the-api' },
  rules: [],
};

let place: Village;
before(async () => {
  place = await village();
});
after(async () => {
  await place.tryKubectl(['delete', 'rolebinding', TOO_MUCH, '--ignore-not-found']);
  await place.tryKubectl(['delete', 'pod', POD.metadata.name, '--ignore-not-found', '--wait=false']);
  await place.tryKubectl(['delete', 'role', ROLE.metadata.name, '--ignore-not-found']);
});

/** True if an account may do something in the village's namespace. `resource` is `RESOURCE[/SUBRESOURCE][ NAME]`. */
async function may(account: string, verb: string, resource: string): Promise<boolean> {
  const [kind = '', name] = resource.split(' ');
  const [whole = '', part] = kind.split('/');
  const { stdout } = await place.tryKubectl([
    'auth',
    'can-i',
    verb,
    name === undefined ? whole : `${whole}/${name}`,
    ...(part === undefined ? [] : [`--subresource=${part}`]),
    `--as=${accountOf(account)}`,
  ]);
  return stdout.trim() === 'yes';
}

const TABLE: readonly (readonly [account: string, verb: string, resource: string, allowed: boolean])[] = [
  ['api', 'patch', 'agents.hamlet.village', true],
  ['api', 'delete', 'schedules.hamlet.village', true],
  ['api', 'get', 'secrets', false],
  ['api', 'list', 'secrets', false],
  ['api', 'create', 'pods', false],
  ['api', 'create', 'pods/exec', false],
  ['api', 'create', 'roles.rbac.authorization.k8s.io', false],
  ['api', 'patch', 'agents.hamlet.village/status', false],
  ['api', 'create', 'serviceaccounts/token hamlet-figures', true],
  ['api', 'create', 'serviceaccounts/token hamlet-operator', false],
  ['api', 'get', 'nodes/stats', false],
  ['operator', 'create', 'pods', true],
  ['operator', 'patch', 'agents.hamlet.village/status', true],
  ['operator', 'patch', 'pods/resize', true],
  ['operator', 'patch', 'entitlements.hamlet.village/status', true],
  ['operator', 'patch', 'schedules.hamlet.village/status', true],
  ['operator', 'patch', 'entitlements.hamlet.village', false],
  ['operator', 'patch', 'nodes', false],
  ['operator', 'get', 'secrets', false],
  ['operator', 'create', 'pods/exec', false],
  ['operator', 'create', 'rolebindings.rbac.authorization.k8s.io', false],
  ['figures', 'list', 'nodes', true],
  ['figures', 'get', 'nodes/stats', true],
  ['figures', 'get', 'nodes/proxy', false],
  ['figures', 'get', 'nodes/metrics', false],
  ['figures', 'patch', 'nodes', false],
  ['figures', 'list', 'pods', false],
  ['figures', 'get', 'secrets', false],
  ['figures', 'get', 'agents.hamlet.village', false],
  ['agent', 'get', 'pods', false],
  ['agent', 'get', 'secrets', false],
  ['agent', 'get', 'agents.hamlet.village', false],
];

for (const [account, verb, resource, allowed] of TABLE)
  test(`the ${account} ${allowed ? 'may' : 'may not'} ${verb} ${resource}`, async () => {
    assert.equal(await may(account, verb, resource), allowed);
  });

test('the api can create no pods and grant no rights, even with a Role that permits it', async () => {
  const made: string[] = [];
  await place.kubectl([
    'create',
    'rolebinding',
    TOO_MUCH,
    '--clusterrole=cluster-admin',
    `--serviceaccount=hamlet:hamlet-api`,
  ]);
  for (const object of [POD, ROLE]) {
    // The API server notices a new role binding a moment later; until then the Role refuses.
    await until(`the RBAC rights permit creating a ${object.kind}`, async () => {
      const { code, output } = await place.tryKubectl(
        ['create', '-f', '-', `--as=${accountOf('api')}`],
        JSON.stringify(object),
      );
      if (code === 0) made.push(object.kind);
      return code === 0 || output.includes('the api may not change pods or rights');
    });
  }
  assert.deepEqual(made, []);
});
