/** The API server and zod agree on every sample, and the API server's refusal names the fix. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { GROUP, VERSION } from '@hamlet/contract/kinds';
import { parse } from 'yaml';
import { DEFINITIONS } from './definitions.ts';

const SAMPLES = resolve(import.meta.dirname, '../samples');
const FILES = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /^(good|bad)-.*\.yaml$/.test(basename(file)),
);

let server: TestApiServer;
before(async () => {
  server = await testApiServer();
  await server.installCrds();
});
after(() => server.remove());

type Sample = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
  readonly spec?: object;
};

function definitionOf(kind: string): (typeof DEFINITIONS)[number] {
  const found = DEFINITIONS.find((definition) => definition.kind === kind);
  assert.ok(found);
  return found;
}

/** The API server's refusal of the object; undefined if it accepts it. */
async function refusal(sample: Sample, query: Record<string, string> = {}): Promise<string | undefined> {
  const { plural, kind } = definitionOf(sample.kind);
  const type = { group: GROUP, version: VERSION, plural, kind };
  try {
    await server.client.create(type, Object.fromEntries(Object.entries(sample)), {
      namespace: 'default',
      query: { fieldValidation: 'Strict', dryRun: 'All', ...query },
    });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

for (const file of FILES) {
  const source = readFileSync(join(SAMPLES, file), 'utf8');
  const sample = parse(source) as Sample;
  const [, words] = /^# refused: (.+)$/m.exec(source) ?? [];

  test(`${file}: zod and the API server agree`, async () => {
    const said = await refusal(sample);
    const read = definitionOf(sample.kind).schema.safeParse(sample);
    assert.equal(
      read.success,
      said === undefined,
      `zod ${read.success ? 'takes' : 'refuses'} it; the API server says ${said ?? 'nothing'}`,
    );
    assert.equal(basename(file).startsWith('good-'), said === undefined, said ?? 'taken');
    if (words !== undefined) assert.ok(said?.includes(words), `"${said}" does not say "${words}"`);
  });
}

test('limits count characters, not bytes or UTF-16 units, on both sides', async () => {
  const agent = (displayName: string): Sample => ({
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'Agent',
    metadata: { name: 'owl' },
    spec: { displayName },
  });
  const { schema } = definitionOf('Agent');
  for (const [name, good] of [
    ['🦉'.repeat(64), true],
    ['🦉'.repeat(65), false],
    ['', false],
  ] as const) {
    assert.equal((await refusal(agent(name))) === undefined, good);
    assert.equal(schema.safeParse(agent(name)).success, good);
  }
});

test('the API server fills in the same defaults as zod, except fields that people also change through the API', async () => {
  const head = { apiVersion: `${GROUP}/${VERSION}`, metadata: { name: 'plain' } };
  const cases: readonly { readonly sample: Sample; readonly leftOut: readonly string[] }[] = [
    { sample: { ...head, kind: 'Agent', spec: {} }, leftOut: ['power', 'entitlement'] },
    {
      sample: { ...head, kind: 'Schedule', spec: { agentName: 'ada', prompt: 'Hello.', every: '1h' } },
      leftOut: ['missedRuns', 'catchUpLimit', 'overlap', 'startingDeadlineSeconds', 'suspend', 'historyLimit'],
    },
    {
      sample: {
        ...head,
        kind: 'Entitlement',
        spec: { rank: 0, limits: { requestsPerMinute: 1, concurrentTools: 1, tokensPerHour: 1 } },
      },
      leftOut: [],
    },
  ];
  for (const { sample, leftOut } of cases) {
    const { schema, plural, kind } = definitionOf(sample.kind);
    const { spec } = await server.client.create<{ spec: object }>(
      { group: GROUP, version: VERSION, plural, kind },
      Object.fromEntries(Object.entries(sample)),
      { namespace: 'default', query: { dryRun: 'All' } },
    );
    const { spec: read } = schema.parse(sample) as { spec: object };
    assert.deepEqual(spec, Object.fromEntries(Object.entries(read).filter(([field]) => !leftOut.includes(field))));
    assert.deepEqual(schema.parse({ ...sample, spec }), { ...sample, spec: read });
  }
});

test('a sleeping agent cannot be rebooted, and a volume cannot change its size', async () => {
  const type = { group: GROUP, version: VERSION, plural: 'agents', kind: 'Agent' };
  const at = { namespace: 'default', name: 'sleeper' };
  await server.client.create(
    type,
    { apiVersion: `${GROUP}/${VERSION}`, kind: 'Agent', metadata: { name: 'sleeper' }, spec: {} },
    { namespace: 'default' },
  );
  const patch = (spec: object): Promise<unknown> => server.client.mergePatch(type, { spec }, at);
  await patch({ rebootedAt: '2026-11-22T09:00:00Z' });
  await patch({ power: 'Asleep' });
  await assert.rejects(
    patch({ rebootedAt: '2026-11-22T09:30:00Z' }),
    /an agent that is asleep cannot reboot: write power: Awake/,
  );
  await assert.rejects(patch({ memory: { size: '2Gi' } }), /the size of a volume cannot change/);
  await patch({ power: 'Awake', rebootedAt: '2026-11-22T09:30:00Z' });
  await patch({ power: 'Asleep' });
  await patch({ power: null, rebootedAt: '2026-11-22T09:40:00Z' });
});

test('kubectl get village lists every kind, with its columns', async () => {
  const body: unknown = JSON.parse(await server.client.read(`/apis/${GROUP}/${VERSION}`));
  const { resources } = body as {
    resources: { name: string; kind: string; shortNames?: string[]; categories?: string[] }[];
  };
  const kinds = resources.filter(({ categories }) => categories?.includes('village') === true);
  assert.deepEqual(kinds.map(({ kind, shortNames }) => `${kind} ${shortNames?.join()}`).toSorted(), [
    'Agent ag',
    'Entitlement ent',
    'Schedule sch',
  ]);
  const columns = definitionOf('Agent')
    .columns.filter(({ priority }) => priority === undefined)
    .map(({ name }) => name.toUpperCase());
  assert.deepEqual(columns, ['POWER', 'TIER', 'NODE', 'READY', 'REASON', 'AGE']);
});
