/** The statements of docs/SECRETS.md that restart the log under another key lose no sealed entry. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { rootOf } from '@hamlet/core';
import { readLogEdge, readLogHead, sha256 } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { untilEnd, testFolder } from '@hamlet/test/env/at-end';
import { clientOf, eventually, TOKENS, testVillage } from '../testing/test-village.ts';

const village = await testVillage();
const folder = testFolder('key-change');
const db = village.openDb();
const superuser = untilEnd(openSuperuser(village.postgres));

async function statements(): Promise<string> {
  const document = await readFile(resolve(import.meta.dirname, '../../../../docs/SECRETS.md'), 'utf8');
  return /^```sql\n(BEGIN;.*?COMMIT;)\n```$/ms.exec(document)?.[1] ?? assert.fail('docs/SECRETS.md has no statements');
}

test('a new key seals nothing until the log is restarted; then every entry has its old position', async () => {
  const first = await village.startReplica();
  await clientOf(first.peopleUrl, TOKENS.admin).createPost({ title: 'Bread', body: 'There is bread.' });
  const before = await eventually('a sealed log', async () => ((head) => head.size > 0 && head)(await readLogHead(db)));
  const root = rootOf(await readLogEdge(db, before.size), sha256);
  await first.stop();

  const changes = { HAMLET_LOG_DIR: join(folder, 'log') };
  const refused = await village.startReplica(changes);
  await eventually('the other key to be refused', async () =>
    /^hamlet_log_broken 1$/m.test(await (await fetch(`${refused.metricsUrl}/metrics`)).text()),
  );
  await refused.stop();

  await superuser.run(await statements());
  await rm(changes.HAMLET_LOG_DIR, { recursive: true, force: true });
  await village.startReplica(changes);
  const since = await eventually('the log under the new key', async () =>
    ((head) => head.size >= before.size && head)(await readLogHead(db)),
  );
  assert.notEqual(since.note, before.note);
  assert.deepEqual(rootOf(await readLogEdge(db, before.size), sha256), root);
  await assert.rejects(superuser.run('truncate log.tile'), 'the guards are back');
});
