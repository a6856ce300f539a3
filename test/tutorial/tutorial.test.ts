/**
 * Runs the commands of docs/TUTORIAL.md in their order, in one shell: kubectl on a real API server with the village's kinds, curl on a
 * real API whose agent is a process. Each block of commands runs, or says why it does not. test/e2e/tutorial.test.ts runs them on a cluster.
 */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { untilEnd, testFolder } from '@hamlet/test/env/at-end';
import { testApiServer } from '@hamlet/test/env/api-server';
import { test } from '@hamlet/test/env/cluster-test';
import { testResidents } from '../../api/server/src/testing/resident-process.ts';
import { firstAdmin } from '../../api/server/src/testing/play/people-play.ts';
import { startPlay } from '../../api/server/src/testing/test-village.ts';
import { program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { assertRun, BLOCKS, TUTORIAL } from './tutorial.ts';

test('every block of commands is recognized, and shown output belongs to commands that run', () => {
  assert.equal(BLOCKS.length, TUTORIAL.match(/^```sh$/gm)?.length);
  const shown = BLOCKS.filter(({ shows }) => shows !== null);
  assert.equal(shown.length, TUTORIAL.match(/^```text$/gm)?.length);
  assert.ok(shown.every(({ notRun }) => notRun === ''));
  assert.equal(TUTORIAL.match(/^```/gm)?.length, 2 * (BLOCKS.length + shown.length), 'no block of another kind');
});

test('the commands make an agent, give it a paid task and pay it', async () => {
  const { play } = await startPlay({ villageSpeed: 20 });
  await testResidents(play).start('cleo');
  const { client } = await firstAdmin(play.url);
  const { token } = await client.createMyKey({ name: 'terminal', scopes: ['read', 'work', 'spend'], days: 1 });
  const kube = untilEnd(await testApiServer());
  await kube.installCrds();
  const namespaces = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hamlet' } };
  const folder = testFolder('tutorial');
  const place = { KUBECONFIG: join(folder, 'kubeconfig'), HAMLET_URL: play.url, HAMLET_TOKEN: token };
  await cp(kube.kubeconfig, place.KUBECONFIG);
  await run(await program('kubectl'), ['apply', '-f', '-'], {
    env: { KUBECONFIG: place.KUBECONFIG },
    input: JSON.stringify(namespaces),
  });
  await assertRun(
    BLOCKS.filter(({ notRun }) => notRun === ''),
    folder,
    place,
  );
});
