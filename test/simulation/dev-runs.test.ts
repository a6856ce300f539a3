/** The Schedules of the development village, which has no operator. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDevFolder, startDevVillage, type DevVillage } from '@hamlet/dev';
import { pluck } from '../env/pluck.ts';
import { testClient, type TestClient } from '../env/client.ts';
import { atEnd, testFolder } from '../env/at-end.ts';

const folder = testFolder('dev-runs');
let village: DevVillage | undefined;
let admin: TestClient;

before(async () => {
  village = await startDevVillage(openDevFolder(folder), { port: null, residents: false });
  admin = testClient({ baseUrl: village.file.url, token: village.file.adminToken });
});
atEnd(() => village?.stop());

test('the API shows the Schedules of the samples, and none fires without an operator', async () => {
  const answer = await admin.listSchedules();
  assert.deepEqual(pluck(answer.schedules, 'name'), ['hourly', 'morning', 'nightly', 'weekdays']);
  assert.ok(answer.schedules.every(({ last_firings }) => last_firings.length === 0));
});
