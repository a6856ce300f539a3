/** `CLUSTER=current` on an existing cluster: refusals, an install, an upgrade, and an uninstall without the operator. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { strangeCluster, type StrangeCluster } from '@hamlet/test/env/cluster/strange-cluster';
import { FINALIZER } from '../../../operator/src/objects/names.ts';
import { program } from '../cluster.ts';
import { tryRun, type RunResult } from '../command.ts';
import { ensureNamespace, installCharts } from './install-charts.ts';
import { kubectl, tryKubectl, type Place } from '../kubectl.ts';
import { NODE } from '../paths.ts';
import { testFolder } from '@hamlet/test/env/at-end';

const NAMESPACE = 'meadow';
const SECRETS = { adminToken: 'a'.repeat(32), memberToken: 'm'.repeat(32), adminName: 'admin', adminPassword: 'p' };

let cluster: StrangeCluster;
let place: Place;
const folder = testFolder('current');
let path = '';

before(async () => {
  cluster = await strangeCluster('mips64');
  const kubectlProgram = await program('kubectl');
  path = `${kubectlProgram.replace(/\/kubectl$/, '')}:${process.env['PATH']}`;
  place = {
    kubectl: kubectlProgram,
    helm: await program('helm'),
    kubeconfig: cluster.server.kubeconfig,
    namespace: NAMESPACE,
  };
});

after(async () => {
  await cluster.remove();
});

/** The command as a person runs it. */
function village(command: 'up' | 'down', env: Readonly<Record<string, string>>): Promise<RunResult> {
  return tryRun(NODE, ['local/village/main.ts', command], {
    env: { PATH: path, KUBECONFIG: cluster.server.kubeconfig, CLUSTER: 'current', NAMESPACE, ...env },
  });
}

const install = async (tag: string): Promise<void> => {
  const images = Object.fromEntries(
    ['api', 'operator', 'agent'].map((name) => [name, `registry.example.org/hamlet/${name}:${tag}`]),
  );
  await ensureNamespace(place);
  return installCharts(
    { place, images, coreNode: undefined, secrets: SECRETS, model: {}, ownValues: null },
    { doing: () => undefined, log: join(folder, 'log') },
  );
};

const named = async (kinds: string): Promise<readonly string[]> => {
  const said = await kubectl(place, [
    'get',
    kinds,
    '-l',
    'app.kubernetes.io/part-of=hamlet',
    '-o',
    'name',
    '--ignore-not-found',
  ]);
  return said.split('\n').filter((line) => line !== '');
};

const REFUSED: readonly {
  readonly what: string;
  readonly env: Readonly<Record<string, string>>;
  readonly says: RegExp;
}[] = [
  {
    what: 'no registry',
    env: { YES: '1' },
    says: /needs a registry.*nothing was changed[\s\S]*fix: CLUSTER=current IMAGE_REGISTRY=/,
  },
  {
    what: 'no context',
    env: { YES: '1', IMAGE_REGISTRY: '127.0.0.1:1/x', KUBECONFIG: '/nowhere' },
    says: /no current context[\s\S]*fix: kubectl config use-context/,
  },
  {
    what: 'a node of an unsupported architecture',
    env: { YES: '1', IMAGE_REGISTRY: '127.0.0.1:1/x' },
    says: /nodes of mips64, and Hamlet has images for amd64 and arm64; nothing was changed[\s\S]*fix: .*ARCH=amd64,arm64/,
  },
  {
    what: 'no terminal to ask',
    env: { ARCH: 'arm64', IMAGE_REGISTRY: '127.0.0.1:1/x' },
    says: /confirmation needs a terminal.*nothing was changed[\s\S]*fix: set YES=1/,
  },
];

for (const { what, env, says } of REFUSED) {
  test(`CLUSTER=current refuses before any change: ${what}`, async () => {
    const { code, output } = await village('up', env);
    assert.equal(code, 1, output);
    assert.match(output, says);
    assert.equal((await tryKubectl(place, ['get', 'namespace', NAMESPACE])).code, 1);
  });
}

test('CLUSTER=current installs, upgrades with the same secrets, and uninstalls without an operator; data stays unless WIPE=1', async () => {
  await install('one');
  const secretsOf = (): Promise<string> =>
    kubectl(place, [
      'get',
      'secrets',
      '-l',
      'app.kubernetes.io/part-of=hamlet',
      '-o',
      'jsonpath={range .items[*]}{.metadata.name}={.data}{"\\n"}{end}',
    ]);
  const before = await secretsOf();
  await install('two');
  assert.equal(await secretsOf(), before);
  assert.match(
    await kubectl(place, ['get', 'deployments', '-o', 'jsonpath={.items[*].spec.template.spec.containers[*].image}']),
    /\/operator:two/,
  );
  // A person created this object. Its finalizer holds it, because no operator runs that would remove the
  // finalizer.
  const agent = {
    apiVersion: 'hamlet.village/v1alpha1',
    kind: 'Agent',
    metadata: { name: 'guest', finalizers: [FINALIZER] },
    spec: {},
  };
  const file = join(folder, 'agent.json');
  writeFileSync(file, JSON.stringify(agent));
  await kubectl(place, ['apply', '-f', file]);

  const { code, output } = await village('down', {});
  assert.equal(code, 0, `${output}\n${cluster.output()}`);
  assert.match(cluster.output(), /guest: removed its finalizer, because the operator has not/);
  assert.equal(await kubectl(place, ['get', 'agents', '-o', 'name']), '');
  const kept = await named('secrets,persistentvolumeclaims');
  assert.ok(
    kept.includes('secret/hamlet-postgres') &&
      kept.every((name) => /^(secret|persistentvolumeclaim)\/hamlet-/.test(name)),
    kept.join(' '),
  );
  const wiped = await village('down', { WIPE: '1' });
  assert.equal(wiped.code, 0, wiped.output);
  assert.deepEqual(
    await named(
      'all,secrets,configmaps,persistentvolumeclaims,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets',
    ),
    [],
  );
  assert.deepEqual(
    (await named('clusterroles,clusterrolebindings,validatingadmissionpolicies,mutatingadmissionpolicies')).filter(
      (name) => name.endsWith(`.${NAMESPACE}`),
    ),
    [],
  );
  await kubectl(place, ['delete', 'namespace', NAMESPACE, '--timeout=180s']);
});
