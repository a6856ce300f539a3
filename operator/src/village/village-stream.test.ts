/** The operator's memory of the api's facts, with an api in this process that stops, resets and comes back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { goodStanding } from '@hamlet/contract';
import { until } from '@hamlet/test/env/until';
import { fakeVillage, type FakeVillage } from '../testing/fake-village.ts';
import { villageClient } from './village-client.ts';
import { VillageStream } from './village-stream.ts';

let village: FakeVillage;
let stream: VillageStream;
const received: string[] = [];

before(async () => {
  village = await fakeVillage();
  village.say('standing', { ...goodStanding('bob', 'tier-1'), frozen: true, reason: 'enough' });
  village.say('schedule', {
    schedule_uid: 's1',
    active_runs: 1,
    last_run_id: null,
    last_run_at: null,
    last_slot: '2026-11-22T10:00:00Z',
  });
  stream = new VillageStream({
    client: villageClient({ baseUrl: village.url, fence: { leaseUid: 'lease', transitions: 0 } }),
    onStanding: (agentId) => received.push(`standing ${agentId}`),
    onPresence: (agentId) => received.push(`presence ${agentId}`),
    onSchedule: (uid) => received.push(`schedule ${uid}`),
    onShortage: (node) => received.push(`shortage ${node}`),
    onBoost: (agentId) => received.push(`boost ${agentId}`),
    onReachable: (reachable) => received.push(reachable ? 'reachable' : 'away'),
    onError: (error) => received.push(`error ${String(error)}`),
  });
});

after(async () => {
  await stream.stop();
  await village.stop();
});

test('no fact counts as known until the api has sent the whole state', async () => {
  assert.equal(stream.synced, false);
  stream.start();
  await until('synced', async () => stream.synced);
  assert.deepEqual(received, ['standing bob', 'schedule s1', 'reachable']);
  assert.deepEqual(stream.standingOf('bob'), { ...goodStanding('bob', 'tier-1'), frozen: true, reason: 'enough' });
  assert.equal(stream.standingOf('ada'), undefined);
  assert.equal(stream.scheduleOf('s1')?.last_slot, '2026-11-22T10:00:00Z');
});

test('the purchases of an agent are known while they last', async () => {
  village.say('boost', {
    agent_id: 'bob',
    priority: true,
    gpu: { resource_name: 'nvidia.com/gpu', count: 1 },
    until: '2999-01-01T00:00:00Z',
  });
  await until('the boost', async () => received.includes('boost bob'));
  assert.deepEqual(stream.boostOf('bob')?.gpu, { resource_name: 'nvidia.com/gpu', count: 1 });
  assert.equal(stream.boostOf('ada'), undefined);
});

test('a node that is short of memory is known until it recovers', async () => {
  village.say('shortage', { node: 'sparky1', short: true, paused: ['bob'] });
  await until('the shortage', async () => received.includes('shortage sparky1'));
  assert.deepEqual(stream.shortageOf('sparky1'), { node: 'sparky1', short: true, paused: ['bob'] });
  assert.equal(stream.shortageOf('sparky2'), undefined);
});

test('during an outage the last state is kept; then the stream resumes at its position', async () => {
  village.setAway(true);
  await until('away', async () => !stream.reachable);
  assert.equal(stream.synced, true);
  assert.equal(stream.standingOf('bob')?.frozen, true);
  village.setAway(false);
  await until('back', async () => stream.reachable);
  assert.match(village.resumed.at(-1) ?? '', /^e1:\d+$/);
});

test('after a reset the old state stays until the new one is complete; facts that are not repeated are dropped', async () => {
  village.say('reset', { epoch: 'e2' });
  village.say('standing', { ...goodStanding('ada', 'tier-0'), banned: true });
  await until('ada', async () => stream.standingOf('ada')?.banned === true);
  assert.equal(stream.standingOf('bob')?.frozen, true, 'an incomplete state drops no fact');
  village.say('synced', {});
  await until(
    'bob is forgotten',
    async () => stream.standingOf('bob') === undefined && stream.boostOf('bob') === undefined,
  );
  assert.equal(stream.standingOf('ada')?.banned, true);
  assert.equal(stream.scheduleOf('s1'), undefined);
});
