/** Renders the chart with the archive of the database. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@hamlet/test/env/cluster-test';
import { ROOT } from '../../local/village/paths.ts';
import { render, type Manifest } from './testing/render.ts';

const ON = { postgres: { archive: { enabled: true, gibibytes: 50, days: 14, hours: 12 } } };

function postgresOf(manifests: readonly Manifest[]): Manifest['spec']['template']['spec'] {
  const found = manifests.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'hamlet-postgres');
  assert.ok(found !== undefined);
  return found.spec.template.spec;
}

const named = (manifests: readonly Manifest[]): readonly string[] =>
  manifests
    .filter(({ metadata }) => metadata.name.includes('archive'))
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

test('with an archive, a second container of Postgres keeps it on a volume that stays', async () => {
  const { manifests } = await render(ON);
  assert.deepEqual(named(manifests), ['ConfigMap hamlet-postgres-archive', 'PersistentVolumeClaim hamlet-archive']);
  const [postgres, archive] = postgresOf(manifests).containers;
  assert.ok(archive !== undefined);
  const variables = Object.fromEntries((archive.env ?? []).map(({ name, value }) => [name, value]));
  assert.partialDeepStrictEqual(variables, { ARCHIVE_DAYS: '14', ARCHIVE_HOURS: '12', ARCHIVE_MIB: '46080' });
  assert.ok(
    archive.env?.every(({ valueFrom }) => valueFrom === undefined),
    'it has no password',
  );
  assert.equal(archive.image, postgres?.image);
  assert.deepEqual(archive.securityContext, postgres?.securityContext);
  for (const container of [postgres, archive])
    assert.ok(container?.volumeMounts?.some(({ name }) => name === 'archive'));
});

test('Postgres stores each segment by a program that the chart brings', async () => {
  const { manifests } = await render(ON);
  const [postgres] = postgresOf(manifests).containers;
  assert.deepEqual(
    postgres?.args?.filter((each) => each.startsWith('archive_')),
    ['archive_mode=on', 'archive_timeout=60', 'archive_command=bash /etc/hamlet/archive/segment.sh %p %f'],
  );
  const programs = manifests.find(({ metadata }) => metadata.name === 'hamlet-postgres-archive') as unknown as {
    readonly data: Readonly<Record<string, string>>;
  };
  assert.deepEqual(Object.keys(programs.data), readdirSync(join(ROOT, 'charts/hamlet/files/archive')).toSorted());
});

test('the archive is off unless a value switches it on, and needs a Postgres of the village', async () => {
  const { manifests } = await render();
  assert.deepEqual(named(manifests), []);
  assert.equal(postgresOf(manifests).containers.length, 1);
  const external = { host: 'db.example.org', secretName: 'db', cidrs: ['203.0.113.7/32'] };
  const { code, output } = await render({ postgres: { ...ON.postgres, external } });
  assert.notEqual(code, 0);
  assert.match(output, /postgres.archive: .*db.example.org/);
});
