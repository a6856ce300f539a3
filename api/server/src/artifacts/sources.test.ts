/** Pages that runs opened, over HTTP: listed once, including those of workers, with the broker's record, only for readers of the run. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { keepArtifact, type OpenedPage } from '@hamlet/contract';
import { citedPages } from '@hamlet/core';
import { readArtifactsOfRuns } from '@hamlet/store';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { PermissionPlay, type Working } from '../permissions/testing/permission-play.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { clientOf, TOKENS, startPlay } from '../testing/test-village.ts';
import { attemptOf } from '../egress/testing/egress-bodies.ts';

const { village, play } = await startPlay();
const NO_ID = '01890000-0000-7000-8000-000000000000';
const permits = new PermissionPlay(play.url);
const grace = await firstAdmin(play.url);
const mia = await invite(grace, play.url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, play.url, { name: 'Noah', role: 'member' });
const AT = '2026-11-25T10:00:00Z';
const page = (url: string, title = ''): OpenedPage => ({ url, title, at: AT });

const begin = (working: Working, callId: string) =>
  permits.begun(working, { callId, tool: 'read_file', args: { path: 'a' } });
const end = (working: Working, callId: string, opened: OpenedPage[]) =>
  permits.finish(working, callId, { report: { opened } });

const sources = async (client: TestClient, runId: string) => (await client.listRunSources({ run_id: runId })).sources;

test('readers of a run see each page that it opened once; a link that it never opened is not listed', async () => {
  const working = await permits.startRun('ada', mia.client);
  await begin(working, '1.0');
  const tunnel = { form: 'tunnel', host: 'a.example.org', method: null, path: null } as const;
  const begun = await attemptOf(play, 'ada', { ...tunnel, run: working.runId, call: '1.0' });
  await clientOf(play.url, TOKENS.broker).keepEgressAttempts({ begin: [begun], end: [] });
  await end(working, '1.0', [page('https://a.example.org/x', 'A'), page('https://b.example.org/')]);
  await begin(working, '2.0');
  await end(working, '2.0', [page('https://A.example.org/x#part', 'A again')]);
  const listed = await sources(mia.client, working.runId);
  assert.deepEqual(pluck(listed, 'url', 'title', 'call_id', 'witnessed'), [
    ['https://A.example.org/x#part', 'A again', '2.0', true],
    ['https://b.example.org/', '', '1.0', false],
  ]);
  assert.deepEqual(await sources(grace.client, working.runId), listed);
  assert.deepEqual(await sources(noah.client, working.runId), []);
  const answer = 'See https://a.example.org/x and https://never.example.org/opened.';
  assert.deepEqual(pluck(citedPages(answer, listed), 'url'), ['https://A.example.org/x#part']);
  await permits.end(working);
});

test("a worker's pages belong to the run that started it; a session shows pages and deliverables of its runs", async () => {
  const { session_id } = (await mia.client.createSession({ agent_id: 'bob' })).session;
  await mia.client.sendMessage({ session_id, text: 'Find bread.' });
  const { run } = await play.as('bob').nextRun({ agent_id: 'bob' });
  assert.ok(run !== null);
  const working = await permits.start('bob', run);
  const delegated = await permits.perform(working, {
    tool: 'delegate',
    callId: '1.0',
    args: { role: 'reader', prompt: 'Read a page' },
  });
  const workerId = String(dataOf(delegated).outcome.data?.['run_id']);
  const worker = await permits.start('bob', { run_id: workerId });
  await begin(worker, '1.0');
  await end(worker, '1.0', [page('https://c.example.org/', 'C')]);
  const bytes = new Uint8Array(Buffer.from('a,b\n'));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { runId, cycle, attempt } = worker;
  const kept = await play.as('bob').call(keepArtifact, {
    params: { run_id: runId, call_id: '1.0', sha256 },
    query: { cycle, attempt, name: 'bread.csv', media_type: 'text/csv', deliverable: 'file' },
    body: bytes,
  });
  dataOf(kept);
  assert.deepEqual(pluck(await sources(mia.client, working.runId), 'run_id', 'url'), [
    [working.runId, 'https://c.example.org/'],
  ]);
  const results = await mia.client.getSessionResults({ session_id });
  assert.deepEqual(
    [
      results.artifacts.map(({ name, run_id }) => [name, run_id === working.runId]),
      results.sources.map(({ title }) => title),
    ],
    [[['bread.csv', true]], ['C']],
  );
  const ofRuns = await readArtifactsOfRuns(village.openDb(), [working.runId, worker.runId, NO_ID], 1);
  assert.deepEqual(
    [...ofRuns].map(([id, artifacts]) => [id === working.runId, pluck(artifacts, 'name')]).toSorted(),
    [
      [false, ['bread.csv']],
      [true, ['bread.csv']],
    ],
    'one query reads the artifacts of several runs, with those of their workers',
  );
  await refuses(noah.client.getSessionResults({ session_id }), 'no_such_session');
  await refuses(noah.client.listRunSources({ run_id: runId }), 'no_such_run');
});
