/** The development village with its residents: a resident carries out a run, and the API shows the sample Schedules. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Run } from '@hamlet/contract';
import { openDevFolder, startDevVillage, type DevVillage } from '@hamlet/dev';
import { until } from '@hamlet/test/env/until';
import { pluck } from '../env/pluck.ts';
import { testClient, type TestClient } from '../env/client.ts';
import { atEnd, testFolder } from '../env/at-end.ts';

const folder = testFolder('dev-runs');
let village: DevVillage | undefined;
let admin: TestClient;

before(async () => {
  village = await startDevVillage(openDevFolder(folder), { port: null, residents: true });
  admin = testClient({ baseUrl: village.file.url, token: village.file.adminToken });
});
atEnd(() => village?.stop());

async function give(prompt: string): Promise<Run> {
  return until('the run to be given', async () => {
    const answer = await admin.raw.createRun({ agent_id: 'ada', prompt });
    return answer.ok ? answer.data.run : undefined;
  });
}

async function ended({ run_id }: Run): Promise<Run> {
  return until('the end of the run', async () => {
    const answer = await admin.raw.getRun({ run_id });
    return answer.ok && answer.data.run.ended_at !== null ? answer.data.run : undefined;
  });
}

test('a run of the development village is settled by its resident', async () => {
  const run = await ended(await give('Say "Good morning from a run!" and look around.'));
  assert.equal(run.state, 'done', run.summary ?? '');
  assert.match(run.summary ?? '', /^I said “Good morning from a run!”\. It is \d\d:\d\d and I am /);
});

test('a run is cancelled while its resident walks', async () => {
  // A long walk, so that the resident is still walking when the test cancels the run.
  const run = await give('Go to the forest clearing. Go to the fishing dock. '.repeat(10).trim());
  await until('it to go', async () => {
    const answer = await admin.raw.getRun({ run_id: run.run_id });
    return answer.ok && answer.data.run.state === 'running';
  });
  await admin.cancelRun({ run_id: run.run_id });
  const { state, error } = await ended(run);
  assert.deepEqual([state, error], ['cancelled', null], 'the resident confirmed the cancellation');
});

test('the API shows the Schedules of the samples, and none fires without an operator', async () => {
  const answer = await admin.listSchedules();
  assert.deepEqual(pluck(answer.schedules, 'name'), ['hourly', 'morning', 'weekdays']);
  assert.ok(answer.schedules.every(({ last_firings }) => last_firings.length === 0));
});
