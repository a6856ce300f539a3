/**
 * Claims over HTTP: only the present leader may claim, the operator's stream reports each claim, and a claim ends with
 * the agent's life.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComputeClaim } from '@hamlet/contract';
import { follow, refuses } from '@hamlet/test/env/client';
import { leaderOf } from '../../testing/play/run-play.ts';
import { clientOf, eventually, TOKENS, ownVillage } from '../../testing/test-village.ts';

const LEASE = 'lease-of-claims';

const village = await ownVillage();
const url = (await village.startReplica()).peopleUrl;
await eventually('bob in the world', async () => (await clientOf(url).raw.getAgent({ agent_id: 'bob' })).ok);
const uid = (await clientOf(url, TOKENS.admin).getAgent({ agent_id: 'bob' })).uid;
await clientOf(url, TOKENS.admin).rewardAgent({ agent_id: 'bob', amount: '20', reason: 'a start' });

const body = (changes: object = {}) => ({
  agent_id: 'bob',
  uid,
  cycle: 1,
  tier: 'tier-1',
  pod_uid: null,
  image_digest: null,
  ...changes,
});

const held = async (): Promise<string> => (await clientOf(url).getBalance({ agent_id: 'bob' })).held;

/** The first claim on the operator's stream that `wanted` accepts. */
async function firstClaim(wanted: (claim: ComputeClaim) => boolean): Promise<ComputeClaim> {
  const { events, stop } = follow((signal) => clientOf(url, TOKENS.operator).openInternalStream({}, { signal }));
  const isWanted = () => events.flatMap((event) => (event.event === 'claim' ? [event.data] : [])).find(wanted);
  return eventually('the claim', isWanted).finally(stop);
}

test('only the present leader can hold money', async () => {
  await refuses(clientOf(url, TOKENS.operator).claimCompute(body()), 'validation_failed');
  const granted = await leaderOf(url, `${LEASE}:2`).claimCompute(body());
  assert.deepEqual(
    [granted.granted, granted.reason, granted.claim?.tier, await held()],
    [true, null, 'tier-1', '0.05'],
  );
  assert.equal(granted.until, granted.claim?.until);
  for (const route of ['claim', 'release'] as const) {
    const late = leaderOf(url, `${LEASE}:1`);
    const answer =
      route === 'claim'
        ? await late.raw.claimCompute(body())
        : await late.raw.releaseCompute({ agent_id: 'bob', uid, version: 1_000_000 });
    assert.equal(answer.ok ? null : answer.problem.code, 'fence_stale');
  }
  assert.equal(await held(), '0.05');
});

test('a stream begins with every claim and then carries each change', async () => {
  const snapshot = await firstClaim(({ agent_id }) => agent_id === 'bob');
  assert.deepEqual([snapshot.held, snapshot.pod_uid], [true, null]);
  const running = firstClaim(({ pod_uid }) => pod_uid === 'pod-7');
  await leaderOf(url, `${LEASE}:2`).claimCompute(body({ pod_uid: 'pod-7' }));
  assert.ok((await running).version > snapshot.version);
});

test('a release must name the current version of the claim; an older version releases nothing', async () => {
  const leader = leaderOf(url, `${LEASE}:2`);
  const { claim } = await leader.claimCompute(body());
  const release = async (version: number, of = uid): Promise<boolean> =>
    (await leader.releaseCompute({ agent_id: 'bob', uid: of, version })).released;
  assert.equal(await release((claim?.version ?? 0) - 1), false);
  assert.equal(await release(claim?.version ?? 0, 'another-life'), false);
  assert.equal(await held(), '0.05');
  assert.equal(await release(claim?.version ?? 0), true);
  assert.equal(await release(claim?.version ?? 0), false);
  assert.equal(await held(), '0');
});

test('the end of a life ends its claim', async () => {
  const leader = leaderOf(url, `${LEASE}:2`);
  await leader.claimCompute(body({ uid: 'a-life-that-is-over' }));
  assert.equal(await held(), '0.05');
  await leader.closeAgent({ agent_id: 'bob', uid: 'a-life-that-is-over' });
  assert.equal(await held(), '0');
});

test('without Postgres the API grants nothing, and every hold is still there when Postgres is back', async () => {
  const leader = leaderOf(url, `${LEASE}:2`);
  const { claim } = await leader.claimCompute(body());
  await village.postgres.stop('SIGKILL');
  const refused = await leader.raw.claimCompute(body({ tier: 'tier-2' }));
  assert.deepEqual([refused.ok, refused.response.status], [false, 503]);
  await village.postgres.start();
  const back = await eventually('the api to reach Postgres', async () => {
    const answer = await leader.raw.claimCompute(body());
    return answer.ok && answer.data;
  });
  assert.deepEqual([back.granted, back.claim?.tier, back.claim?.until], [true, 'tier-1', claim?.until]);
  assert.equal(await held(), '0.05');
});
