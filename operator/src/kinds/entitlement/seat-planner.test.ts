/** Seats while agents come, grow and go, on caches like those of reflectors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VOLUME_NODE_ANNOTATION } from '../../objects/names.ts';
import type { TierView } from '../../objects/cached-objects.ts';
import { TIER_0, TIER_1, TIER_2 } from '../agent/testing/sample-state.ts';
import { LATER_MS, SeatPlanner, SOON_MS } from './seat-planner.ts';
import { countSeats } from './seat-sources.ts';
import { GI, GPU, roomFor, village, World } from './testing/seat-world.ts';

test('before the first plan there is no decision; afterwards a new agent gets a seat at once, without another plan', () => {
  const world = village();
  const ada = world.agent('ada');
  assert.equal(world.planner.seatOf(ada), undefined);
  world.planner.start();
  const bob = world.agent('bob');
  assert.deepEqual(
    [world.planner.seatOf(ada), world.planner.seatOf(bob), world.plans],
    [{ granted: true, node: 'a' }, { granted: true, node: 'a' }, 1],
  );
  assert.deepEqual(world.planner.plan?.seatsOf('tier-0'), { total: 2, free: 0 });
});

test('a failed first plan is retried', () => {
  const world = village();
  const ada = world.agent('ada');
  const errors: unknown[] = [];
  let isBroken = true;
  const tiers = (): readonly TierView[] => {
    if (isBroken) throw new Error('no tiers');
    return world.tiers;
  };
  const planner = new SeatPlanner({
    sources: { ...world.sources, tiers },
    clock: world.clock,
    onSeat: () => undefined,
    onPlan: () => undefined,
    onError: (error) => errors.push(error),
  });
  planner.touch('soon');
  world.clock.pass(LATER_MS);
  assert.deepEqual([errors, planner.plan], [[], undefined], 'no plan before all caches are listed');
  planner.start();
  assert.deepEqual([errors.length, planner.plan], [1, undefined]);
  isBroken = false;
  world.clock.pass(LATER_MS);
  assert.deepEqual(planner.seatOf(ada), { granted: true, node: 'a' });
});

test('an agent whose seat moves is notified, because its pod may be bound to the old node', () => {
  const world = new World([{ name: 'a' }, { name: 'b', cordoned: true }]);
  const ada = world.agent('ada');
  world.pod('ada', TIER_0);
  world.planner.start();
  assert.deepEqual(world.planner.seatOf(ada), { granted: true, node: 'a' });
  world.removePod('ada');
  world.node('a', { cordoned: true });
  world.node('b');
  world.planner.touch('soon');
  world.clock.pass(SOON_MS);
  assert.deepEqual([world.planner.seatOf(ada), world.notified], [{ granted: true, node: 'b' }, [ada]]);
});

test('an agent without room waits, and is notified when another agent is gone', () => {
  const world = village();
  for (const name of ['ada', 'bob']) {
    world.agent(name);
    world.pod(name, TIER_0);
  }
  world.planner.start();
  const cleo = world.agent('cleo');
  assert.deepEqual(world.planner.seatOf(cleo), { granted: false, reason: 'SeatPending' });
  world.clock.pass(SOON_MS);
  assert.deepEqual(world.planner.seatOf(cleo), { granted: false, reason: 'NoSeat', blocking: 'memory', position: 1 });
  world.notified.length = 0;
  world.agent('ada', { spec: { power: 'Asleep' } });
  world.endPod('ada');
  world.planner.touch();
  world.clock.pass(SOON_MS);
  assert.deepEqual(
    [world.notified, world.planner.seatOf(cleo)?.reason, world.planner.seatOf('village/ada')],
    [[cleo], 'SeatClearing', undefined],
    'the pod keeps its room until it is gone',
  );
  world.notified.length = 0;
  world.removePod('ada');
  world.planner.touch();
  world.clock.pass(SOON_MS);
  assert.deepEqual([world.notified, world.planner.seatOf(cleo)], [[cleo], { granted: true, node: 'a' }]);
});

test('a thousand changes cause one plan', () => {
  const world = village();
  world.planner.start();
  for (let index = 0; index < 1_000; index += 1) world.planner.touch();
  world.clock.pass(LATER_MS);
  assert.equal(world.plans, 2);
  world.clock.pass(10 * LATER_MS);
  assert.equal(world.plans, 2);
});

test('an agent grows at once if there is room, and otherwise keeps its size until there is', () => {
  const world = new World([{ name: 'a', allocatable: roomFor(2, { cpuMillis: 1_500, memoryBytes: 2 * GI }) }]);
  for (const name of ['ada', 'bob']) {
    world.agent(name);
    world.pod(name, TIER_0);
  }
  world.planner.start();
  world.tierOfAgent.set('ada', TIER_1);
  assert.deepEqual(world.planner.seatOf('village/ada'), { granted: true, node: 'a' });
  world.pod('ada', TIER_1);
  world.tierOfAgent.set('bob', TIER_1);
  assert.deepEqual(world.planner.seatOf('village/bob'), { granted: true, reason: 'SeatPending' });
  world.clock.pass(SOON_MS);
  assert.equal(world.planner.seatOf('village/bob')?.reason, 'NodeFull');
  assert.equal(world.planner.seatOf('village/bob')?.granted, true);
});

test('a higher tier displaces the lowest; a model server and other villages are never displaced', () => {
  const world = new World([
    { name: 'a', allocatable: roomFor(3, { cpuMillis: 4_000, memoryBytes: 4 * GI, devices: { [GPU]: 1 } }) },
  ]);
  world.other('model', { cpu: '1', memory: '2Gi' }, { labels: { 'hamlet.village/role': 'model-server' } });
  world.other(
    'their-agent',
    { cpu: '100m', memory: '100Mi' },
    {
      labels: { 'hamlet.village/role': 'agent' },
      spec: {
        containers: [{ resources: { requests: { memory: '256Mi' }, limits: { cpu: '500m', memory: '512Mi' } } }],
      },
    },
  );
  for (const name of ['ada', 'bob', 'cleo']) {
    world.agent(name);
    world.pod(name, TIER_0);
  }
  world.planner.start();
  const top = world.agent('top');
  world.tierOfAgent.set('top', TIER_2);
  assert.equal(world.planner.seatOf(top)?.reason, 'SeatPending');
  world.clock.pass(SOON_MS);
  const clearing = { granted: false, node: 'a', reason: 'SeatClearing', blocking: 'node a' };
  const reasons = (): readonly unknown[] =>
    ['ada', 'bob', 'cleo'].map((name) => world.planner.seatOf(`village/${name}`)?.reason);
  assert.deepEqual([world.planner.seatOf(top), reasons()], [clearing, [undefined, 'Displaced', 'Displaced']]);
  for (const name of ['bob', 'cleo']) world.endPod(name);
  world.planner.touch();
  world.clock.pass(SOON_MS);
  assert.deepEqual(
    [world.planner.seatOf(top), world.planner.seatOf('village/ada')?.granted],
    [clearing, true],
    'no other agent is displaced while they end',
  );
  for (const name of ['bob', 'cleo']) world.removePod(name);
  world.planner.touch();
  world.clock.pass(SOON_MS);
  assert.deepEqual(world.planner.seatOf(top), { granted: true, node: 'a' });
  assert.ok(world.notified.includes('village/cleo') && world.notified.includes(top));
});

test('a barred agent requests no seat, and keeps its room as long as its pod lives', () => {
  const world = village();
  const ada = world.agent('ada');
  world.pod('ada', TIER_0);
  world.barred.add('ada');
  world.planner.start();
  assert.equal(world.planner.seatOf(ada), undefined);
  assert.deepEqual(world.planner.plan?.seatsOf('tier-0'), { total: 1, free: 1 });
  world.endPod('ada');
  world.planner.replan();
  assert.deepEqual(world.planner.plan?.seatsOf('tier-0'), { total: 2, free: 2 });
});

test('an agent whose Entitlement was deleted keeps its room', () => {
  const world = village();
  world.agent('ada');
  world.pod('ada', TIER_0);
  world.planner.start();
  world.tiers = [TIER_1, TIER_2];
  world.planner.replan();
  assert.deepEqual(world.planner.plan?.seatsOf('tier-1'), { total: 0, free: 0 });
  assert.equal(world.planner.agentsOf('tier-0'), 0);
});

test('nodes that are lost, cordoned or tainted give no seats', () => {
  const world = new World([
    { name: 'a', ready: false },
    { name: 'b', cordoned: true },
    { name: 'c', taints: ['dedicated'] },
    { name: 'd' },
  ]);
  world.planner.start();
  assert.deepEqual([world.planner.plan?.openNodes, world.planner.plan?.seatsOf('tier-0')], [1, { total: 2, free: 2 }]);
});

test('agents are counted by tier, awake or asleep', () => {
  const world = village();
  world.agent('ada');
  world.agent('bob', { spec: { power: 'Asleep' } });
  world.agent('cleo');
  world.tierOfAgent.set('cleo', TIER_2);
  assert.deepEqual(
    [...countSeats(world.sources).agents],
    [
      ['tier-0', 2],
      ['tier-2', 1],
    ],
  );
});

test('an agent with a local volume gets no seat on another node: while its node is closed it waits, or keeps its waiting pod', () => {
  const world = new World([{ name: 'a', cordoned: true }, { name: 'b' }]);
  const meta = (name: string) => ({ name, namespace: 'village', uid: `${name}-uid`, resourceVersion: world.version() });
  const withVolume = (name: string, local: boolean): string => {
    const claim = meta(`${name}-home`);
    world.claims.see({ metadata: { ...claim, annotations: { [VOLUME_NODE_ANNOTATION]: 'a' } } });
    world.volumes.see({ metadata: meta(`${name}-pv`), claimUid: claim.uid, local });
    return world.agent(name);
  };
  const [ada, bob, eve] = [withVolume('ada', true), withVolume('bob', false), withVolume('eve', true)];
  world.pod('eve', TIER_0, null);
  world.planner.start();
  const closed = { reason: 'NodeClosed', blocking: 'node a' };
  assert.deepEqual(
    [ada, bob, eve].map((key) => world.planner.seatOf(key)),
    [
      { granted: false, ...closed, position: 2 },
      { granted: true, node: 'b' },
      { granted: true, ...closed, position: 1 },
    ],
  );
  world.node('a');
  world.planner.replan();
  for (const key of [ada, eve]) assert.deepEqual(world.planner.seatOf(key), { granted: true, node: 'a' });
});

test('a node that the api reports as short gives no seats, and the agents that it names lose theirs', () => {
  const world = village();
  const [ada, bob] = [world.agent('ada'), world.agent('bob')];
  for (const name of ['ada', 'bob']) world.pod(name, TIER_0);
  world.planner.start();
  world.shortages.set('a', { node: 'a', short: true, paused: ['ada'] });
  world.planner.touch();
  world.clock.pass(LATER_MS);
  assert.deepEqual(
    [world.planner.seatOf(ada), world.planner.seatOf(bob), world.notified],
    [{ granted: false, reason: 'NodeShort', blocking: 'node a' }, { granted: true, node: 'a' }, [ada]],
  );
  world.removePod('ada');
  world.planner.replan();
  assert.equal(world.planner.seatOf(ada)?.reason, 'NodeShort', 'it waits while the node is short');
  world.shortages.set('a', { node: 'a', short: false, paused: [] });
  world.planner.replan();
  assert.deepEqual(world.planner.seatOf(ada), { granted: true, node: 'a' });
});
