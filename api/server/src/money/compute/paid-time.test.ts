/**
 * A resident whose pod is never deleted: it ends by itself when its paid time is over, and does nothing until the agent
 * has paid again.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { testResidents } from '../../testing/resident-process.ts';
import { leaderOf } from '../../testing/play/run-play.ts';
import { eventually, startPlay } from '../../testing/test-village.ts';

const { village, play } = await startPlay();
const residents = testResidents(play);
const db = village.openDb();

/** Moves the end of bob's paid time, as if the village had been down. */
async function endsIn(ms: number): Promise<void> {
  await db
    .updateTable('compute_claim')
    .set({ until: new Date(Date.now() + ms) })
    .where('agent_id', '=', 'bob')
    .execute();
}

test('a resident ends with its paid time, waits while the agent does not pay, and runs again once it does', async () => {
  const asBob = async (): Promise<string | null> => (await play.as('bob').getPaidTime({ agent_id: 'bob' })).paid_until;
  assert.equal(await asBob(), null, 'the tier is free');
  await play.admin.rewardAgent({ agent_id: 'bob', amount: '20', reason: 'a start' });
  const { uid, cycle } = await play.agent('bob');
  const { until } = await leaderOf(play.url, 'lease:1').claimCompute({
    agent_id: 'bob',
    uid,
    cycle,
    tier: 'tier-1',
    pod_uid: 'pod',
    image_digest: null,
  });
  assert.equal(await asBob(), until);

  await endsIn(15_000);
  const { child, said } = residents.launch('bob');
  const ended = once(child, 'exit');
  await eventually('bob to be online', async () => {
    // A process that begins after the end of its paid time waits, and asks again.
    if (said().includes('not_paid')) await endsIn(30_000);
    return (await play.agent('bob')).status.online;
  });
  await endsIn(-180_000);
  assert.deepEqual(
    await ended,
    [0, null],
    'a resident whose paid time ended early notices it at the end that it knew, and ends',
  );

  await eventually('bob to be offline', async () => !(await play.agent('bob')).status.online);
  const next = await residents.launch('bob');
  await eventually('the reason for waiting in the log of the next process', () => next.said().includes('not_paid'));
  assert.equal((await play.agent('bob')).status.online, false);
  await endsIn(3_600_000);
  await eventually('bob to be online again', async () => (await play.agent('bob')).status.online);
});
