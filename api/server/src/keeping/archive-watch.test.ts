import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf } from '@hamlet/test/env/client';
import { startPlay } from '../testing/test-village.ts';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { archiveHealth } from './archive-watch.ts';

const NOW = new Date('2026-11-30T03:00:00Z');
const before = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

test('an archive is as far behind as its newest second, and troubled while it has a problem', () => {
  const state = { latest: before(90), reportedAt: before(10), problem: null };
  assert.deepEqual(archiveHealth(null, NOW), { behindS: 0, troubled: 0 });
  assert.deepEqual(archiveHealth(state, NOW), { behindS: 90, troubled: 0 });
  assert.deepEqual(archiveHealth({ ...state, problem: 'gap' }, NOW), { behindS: 90, troubled: 1 });
  const waits = { ...state, latest: null, reportedAt: before(600) };
  assert.equal(archiveHealth(waits, NOW).behindS, 600, 'a keeper that waits for its first segment is behind');
  assert.equal(archiveHealth({ ...state, latest: before(-5) }, NOW).behindS, 0);
});

test('a village whose Postgres archives nothing has no archive, even if an earlier one reported otherwise', async () => {
  const { village, play } = await startPlay();
  const superuser = openSuperuser(village.postgres);
  await superuser.run(
    `insert into archive_state (reported_at, base_at, earliest, latest, bytes, limit_bytes, days, problem)
    values (now(), now() - interval '2 hours', now() - interval '3 days', now() - interval '1 hour', 5, 10, 7, 'full')`,
  );
  await superuser.close();
  assert.equal(dataOf(await play.admin.raw.getKeeping()).archive, null);
});
