/** Manifests and resources of a backup, and the checks before a restore or a backup begins. */
import assert from 'node:assert/strict';
import { chmodSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../failure.ts';
import { requirePostgres } from './backup.ts';
import { checkParts, describeParts, holdingsText, isEmpty, PARTS, type Manifest } from './manifest.ts';
import { bareResources, missingFrom } from './resources.ts';
import { restore, sourceOf } from './restore.ts';
import { testFolder } from '@hamlet/test/env/at-end';

const PLACE = { kubectl: '/nowhere/kubectl', helm: '/nowhere/helm', kubeconfig: undefined, namespace: 'hamlet' };

const folder = testFolder('backup');

async function whole(): Promise<Manifest> {
  for (const name of Object.values(PARTS)) writeFileSync(join(folder, name), `what is in ${name}`);
  const holdings = { accounts: 2, posts: 3, transfers: 4, acts: 5, newestAct: '2026-11-23 05:00 UTC' };
  return {
    format: 1,
    madeAt: '2026-11-23T05:00:00.000Z',
    namespace: 'hamlet',
    hamlet: '0.1.0',
    postgres: '18.4',
    pgDump: 'pg_dump (PostgreSQL) 18.6',
    migration: '0023_turn_texts.sql',
    sealed: 12,
    holdings,
    parts: await describeParts(folder),
  };
}

test('a backup that was changed, truncated or lost a part is refused with the name of the part', async () => {
  const manifest = await whole();
  const text = JSON.stringify(manifest);
  assert.deepEqual(await checkParts(folder, text), manifest);
  truncateSync(join(folder, PARTS.dump), 5);
  await assert.rejects(checkParts(folder, text), /village\.dump in the backup differs from its manifest/);
  await whole();
  writeFileSync(join(folder, PARTS.key), `What is in ${PARTS.key}`);
  await assert.rejects(checkParts(folder, text), /log-key\.pem in the backup differs/);
  await whole();
  rmSync(join(folder, PARTS.log));
  await assert.rejects(checkParts(folder, text), /the backup has no log\.tar/);
});

test('a missing manifest, or one of another format, is refused with a fix', async () => {
  const manifest = await whole();
  for (const text of [
    '',
    'no json',
    JSON.stringify({ ...manifest, format: 2 }),
    JSON.stringify({ ...manifest, parts: manifest.parts.slice(1) }),
  ]) {
    await assert.rejects(
      checkParts(folder, text),
      (error) =>
        error instanceof Failure &&
        error.message.startsWith('the manifest of the backup cannot be read') &&
        error.fix !== undefined,
    );
  }
});

test('restore refuses before it asks the cluster: no file, a file and a moment, a missing file, a file that is not a backup', async () => {
  const [file, until] = [join(folder, 'none.tar'), '2026-11-30T03:12:07Z'];
  for (const given of [
    { file: undefined, until: undefined },
    { file, until },
  ])
    assert.throws(() => sourceOf(given), /restore needs either the file of a backup or a moment; nothing was changed/);
  await assert.rejects(restore(PLACE, { file }, { yes: true }), /does not exist; nothing was changed/);
  writeFileSync(join(folder, 'text.tar'), 'not an archive');
  await assert.rejects(
    restore(PLACE, { file: join(folder, 'text.tar') }, { yes: true }),
    (error) => error instanceof Failure && error.fix?.includes('nothing was changed') === true,
  );
});

test('custom resources are stored as in a manifest, and a restore creates only the missing ones', () => {
  const metadata = {
    name: 'ada',
    uid: 'u',
    resourceVersion: '7',
    managedFields: [],
    finalizers: ['hamlet.village/account'],
    labels: { team: 'a' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'kept' },
  };
  const ada = {
    apiVersion: 'hamlet.village/v1',
    kind: 'Agent',
    metadata,
    spec: { power: 'Awake' },
    status: { cycle: 3 },
  };
  const list = bareResources({ items: [ada, { ...ada, kind: 'Schedule' }] });
  assert.deepEqual(list.items[0], {
    apiVersion: 'hamlet.village/v1',
    kind: 'Agent',
    metadata: { name: 'ada', labels: { team: 'a' }, annotations: { note: 'kept' } },
    spec: { power: 'Awake' },
  });
  assert.deepEqual(
    missingFrom(list, { items: [ada] }).items.map(({ kind }) => kind),
    ['Schedule'],
  );
});

test('a village without accounts, posts and transfers counts as empty, and its contents are listed in words', () => {
  const holdings = { accounts: 0, posts: 0, transfers: 0, acts: 3, newestAct: null };
  assert.equal(isEmpty(holdings), true);
  assert.equal(isEmpty({ ...holdings, transfers: 1 }), false);
  assert.equal(
    holdingsText({ ...holdings, accounts: 1 }),
    '1 accounts, 0 posts, 0 transfers of money, 3 recorded acts',
  );
});

test('a missing village, a Postgres outside, an unready Postgres and an image without pg_dump each have their own error', async () => {
  const program = join(folder, 'kubectl');
  const cases = [
    { get: 'echo NotFound; exit 1', exec: 'exit 1', says: /no village runs in namespace hamlet: NotFound/ },
    {
      get: 'case $4 in pod) exit 1 ;; *) echo postgres://app@db.example.org:5432/hamlet ;; esac',
      exec: 'exit 1',
      says: /uses the Postgres at db\.example\.org:5432, outside of it/,
    },
    {
      get: 'case $4 in pod) echo gone; exit 1 ;; *) echo postgres://app@hamlet-postgres:5432/hamlet ;; esac',
      exec: 'exit 1',
      says: /no village runs in namespace hamlet: gone/,
    },
    { get: 'echo false', exec: 'echo container not found; exit 1', says: /Postgres is not ready in namespace hamlet/ },
    { get: 'echo true', exec: 'echo pg_dump: not found; exit 127', says: /the image of Postgres has no pg_dump/ },
    { get: 'echo true', exec: 'echo connection lost; exit 1', says: /pg_dump cannot run in .*connection lost/ },
  ];
  for (const { get, exec, says } of cases) {
    writeFileSync(program, `#!/bin/sh\ncase $3 in get) ${get} ;; *) ${exec} ;; esac\n`);
    chmodSync(program, 0o755);
    await assert.rejects(requirePostgres({ ...PLACE, kubectl: program }), says);
  }
});
