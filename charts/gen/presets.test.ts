/** A real API server checks every object of each preset, and the pods that come of them, without storing any. */
import assert from 'node:assert/strict';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { PriceList } from '@hamlet/contract';
import { join } from 'node:path';
import { program } from '../../local/village/cluster.ts';
import { run, tryRun } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';
import { PRESETS, presetValues } from './testing/presets.ts';
import { render } from './testing/render.ts';

let server: TestApiServer;
let namespace = '';

/** Sends manifests to the API server; unknown fields fail. `--dry-run=server` stores none. */
async function apply(input: string, ...flags: readonly string[]) {
  const args = ['--kubeconfig', server.kubeconfig, '--namespace', namespace, 'apply', '--server-side'];
  return tryRun(await program('kubectl'), [...args, '--validate=strict', '--filename', '-', ...flags], { input });
}

before(async () => {
  server = await testApiServer();
  namespace = await server.namespace();
  await server.installCrds();
  const crds = join(ROOT, 'charts/hamlet-crds');
  const only = ['--show-only', 'templates/priority-classes.yaml'];
  const classes = await apply(await run(await program('helm'), ['template', 'crds', crds, ...only]));
  assert.equal(classes.code, 0, classes.output);
});
after(() => server.remove());

interface PodTemplate {
  readonly metadata: object;
  readonly spec: {
    readonly volumes: readonly { readonly name: string }[];
  };
}
interface Stored {
  readonly kind: string;
  readonly spec: { readonly priority?: number; readonly preemptionPolicy?: string };
}

/** The pod that the controller of a StatefulSet makes, with the claims of its templates. */
function podOf({ metadata, spec }: PodTemplate): object {
  const volumes = [...spec.volumes, { name: 'weights', persistentVolumeClaim: { claimName: 'weights' } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'server' }, spec: { ...spec, volumes } };
}

/** Templates that a preset changes; the preset `none` shows that the API server accepts all others. */
const CHANGED = ['model-servers', 'api', 'village'].flatMap((each) => ['--show-only', `templates/${each}.yaml`]);

for (const name of PRESETS)
  test(`the preset ${name} passes the API server, which knows every field`, async () => {
    const only = name === 'none' ? [] : CHANGED;
    const { code, output, text, manifests } = await render(presetValues(name), '--namespace', namespace, ...only);
    assert.equal(code, 0, output);
    const servers = manifests.filter(
      ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name.startsWith('hamlet-model-'),
    );
    assert.equal(servers.length, name === 'none' ? 0 : 1);
    const pods = servers.map(({ spec }) => podOf(spec.template as unknown as PodTemplate));
    const all = [text, ...pods.map((pod) => JSON.stringify(pod))].join('\n---\n');
    const checked = await apply(all, '--dry-run=server', '--output=json');
    assert.equal(checked.code, 0, checked.output);
    const { items } = JSON.parse(checked.stdout) as { readonly items: readonly Stored[] };
    assert.equal(items.length, manifests.length + pods.length);
    assert.deepEqual(
      items
        .filter(({ kind }) => kind === 'Pod')
        .map(({ spec: { priority, preemptionPolicy } }) => [priority, preemptionPolicy]),
      pods.map(() => [500_000, 'PreemptLowerPriority']),
    );
  });

test('a preset that gives the GPU to the model leaves it to no tier, and the market sells none', async () => {
  const offered = async (values: object): Promise<readonly [number, number]> => {
    const { manifests, text } = await render(values);
    const tiers = manifests.filter(
      ({ kind, spec }) => kind === 'Entitlement' && 'gpu' in (spec as unknown as { compute: object }).compute,
    );
    const [, prices = ''] = /name: HAMLET_PRICE_LIST, value: ("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
    const list = PriceList.parse(JSON.parse(JSON.parse(prices) as string));
    return [tiers.length, list.gpu.lanes.length];
  };
  assert.deepEqual(await offered({}), [1, 1]);
  for (const name of ['spark-one', 'spark-two', 'gpu-24g'] as const)
    assert.deepEqual(await offered(presetValues(name)), [0, 0], name);
});

test('the API server refuses a field of a server that it does not know', async () => {
  const { text } = await render(presetValues('spark-one'), '--show-only', 'templates/model-servers.yaml');
  const wrong = text.replace('podManagementPolicy: Parallel', 'podManagement: Parallel');
  assert.match(
    (await apply(wrong, '--dry-run=server')).output,
    /unknown field "spec\.podManagement"|\.spec\.podManagement/,
  );
});
