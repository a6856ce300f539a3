import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf } from '@hamlet/test/env/client';
import { startPlay } from '../testing/test-village.ts';

const { play } = await startPlay({ environment: { HAMLET_SESSION_DAYS: '7', HAMLET_TURN_DAYS: '0' } });

test('an admin reads how long things stay in this village, with their sizes', async () => {
  const { things, database_bytes } = dataOf(await play.admin.raw.getKeeping());
  const thing = (wanted: string) => things.find(({ id }) => id === wanted);
  assert.deepEqual([thing('sessions')?.days, thing('sessions')?.setting], [7, 'api.sessionDays']);
  assert.equal(thing('turns')?.days, null);
  assert.ok((thing('world')?.bytes ?? 0) > 0 && database_bytes > 0);
});

test('a member may not read what the village keeps', async () => {
  const answer = await play.member.raw.getKeeping();
  assert.equal(answer.ok, false);
});
