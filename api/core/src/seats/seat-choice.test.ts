/** The node that an agent gets, the room that it holds meanwhile, and the reason why it waits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeatTier } from './seat-input.ts';
import { request, GPU, HIGH, LOW, MIDDLE, node, on, planned, room, decision } from './testing/sample-village.ts';

test('among equal nodes the first by name is chosen; among nodes with as many agents the one with more free seats', () => {
  const equal = [node('b', room(500, 500, 0, 10)), node('a', room(500, 500, 0, 10)), node('c', room(500, 500, 0, 10))];
  assert.equal(decision(planned({ nodes: equal, requests: [request('ada', 'low')] }), 'ada')?.node, 'a');
  for (const [a, b, chosen] of [
    [500, 400, 'a'],
    [400, 500, 'b'],
  ] as const) {
    assert.equal(
      decision(
        planned({
          nodes: [node('a', room(a, a, 0, 10)), node('b', room(b, b, 0, 10))],
          requests: [request('ada', 'low')],
        }),
        'ada',
      )?.node,
      chosen,
    );
  }
});

test('a node gives its last seat, and a full node gives none', () => {
  const plan = planned({
    nodes: [node('a', room(100, 100, 0, 10))],
    requests: [request('ada', 'low'), request('bob', 'low')],
  });
  assert.deepEqual([decision(plan, 'ada')?.granted, decision(plan, 'bob')?.granted], [true, false]);
});

test('a displaced agent is no longer counted on its node: the next agents spread there again', () => {
  const nodes = [node('a', room(400, 400, 1, 20)), node('b', room(600, 600, 0, 20))];
  const requests = [
    request('top', 'high'),
    request('m1', 'middle', on('a')),
    request('m2', 'middle', on('a')),
    request('m3', 'middle', on('b')),
    request('new', 'low'),
  ];
  const plan = planned({ nodes, requests });
  assert.deepEqual(
    ['m1', 'm2'].map((name) => decision(plan, name)?.reason),
    [undefined, 'Displaced'],
  );
  assert.equal(decision(plan, 'new')?.node, 'b');
});

test('a pod that was created for one node takes the room there from a lower rank, even if another node is free', () => {
  const nodes = [node('a', room(200, 200, 0, 10)), node('b', room(900, 900, 0, 10))];
  const plan = planned({
    nodes,
    requests: [request('ada', 'middle', { pod: { heldTo: 'a' } }), request('low', 'low', on('a'))],
  });
  assert.equal(decision(plan, 'low')?.reason, 'Displaced');
});

test('a pod that was created for a failed node takes a seat of a lower rank elsewhere', () => {
  const nodes = [node('a', room(200, 200, 0, 10), { open: false }), node('b', room(200, 200, 0, 10))];
  const plan = planned({
    nodes,
    requests: [request('ada', 'middle', { pod: { heldTo: 'a' } }), request('low', 'low', on('b'))],
  });
  assert.equal(decision(plan, 'low')?.reason, 'Displaced');
});

test('an agent whose volume is on a lost node displaces no agent elsewhere', () => {
  const plan = planned({
    nodes: [node('b', room(200, 200, 0, 10))],
    requests: [request('ada', 'middle', { volumeOn: 'lost' }), request('low', 'low', on('b'))],
  });
  assert.deepEqual([decision(plan, 'ada')?.granted, decision(plan, 'low')?.granted], [false, true]);
});

test('after a move, the pod on the old node holds its room until it is gone', () => {
  const nodes = [node('a', room(200, 200, 0, 10)), node('b', room(200, 200, 1, 10))];
  const plan = planned({ nodes, requests: [request('ada', 'high', on('a', MIDDLE.size)), request('bob', 'middle')] });
  assert.deepEqual(decision(plan, 'ada'), { granted: true, node: 'b' });
  assert.deepEqual(decision(plan, 'bob'), { granted: false, node: 'a', reason: 'SeatClearing', blocking: 'node a' });
});

test('a pod that grows in one resource and shrinks in another holds the rest of the old size until it is smaller', () => {
  const nodes = [node('a', room(400, 400, 0, 10))];
  const plan = planned({ nodes, requests: [request('ada', 'middle', on('a', room(100, 350))), request('bob', 'low')] });
  assert.deepEqual(decision(plan, 'ada'), { granted: true, node: 'a' });
  assert.equal(decision(plan, 'bob')?.reason, 'SeatClearing');
});

test('an agent that waits for room on another node keeps its whole seat there, and its old one', () => {
  const nodes = [node('a', room(300, 300, 0, 10)), node('b', room(300, 300, 1, 10), { ending: room(0, 0, 1, 0) })];
  const plan = planned({ nodes, requests: [request('ada', 'high', on('a', MIDDLE.size))] });
  assert.deepEqual(decision(plan, 'ada'), { granted: true, node: 'a', reason: 'SeatClearing', blocking: 'node b' });
  assert.deepEqual([plan.seatsOf('low')?.free, plan.seatsOf('high')?.free], [1 + 1, 0]);
});

test('an agent with a volume does not move to the node with a GPU', () => {
  const nodes = [node('a', room(900, 900, 0, 10)), node('b', room(900, 900, 1, 10))];
  const plan = planned({ nodes, requests: [request('ada', 'high', { ...on('a', MIDDLE.size), volumeOn: 'a' })] });
  assert.deepEqual(decision(plan, 'ada'), { granted: true, node: 'a', reason: 'TooLarge', blocking: GPU, position: 1 });
});

test('the reason of an agent that could move is that no node has room, not that its own is full', () => {
  const nodes = [node('a', room(500, 500, 0, 10)), node('b', room(300, 300, 1, 10))];
  const other: SeatTier = { name: 'other', rank: 2, size: room(200, 200) };
  const plan = planned({
    nodes,
    tiers: [LOW, MIDDLE, HIGH, other],
    requests: [request('ada', 'high', on('a', MIDDLE.size)), request('bob', 'other', on('b'))],
  });
  assert.deepEqual(decision(plan, 'ada'), {
    granted: true,
    node: 'a',
    reason: 'NoSeat',
    blocking: 'memory',
    position: 1,
  });
});

test('the reason GpuBooked appears only if the GPU is short', () => {
  const peer: SeatTier = { name: 'peer', rank: 2, size: room(300, 300) };
  const tiers = [LOW, MIDDLE, HIGH, peer];
  const reasonFor = (tier: string, gpus: number, taken: number): string | undefined => {
    const nodes = [node('a', room(400, 400, gpus, 10), { taken: room(0, 0, taken, 0) })];
    return decision(
      planned({ nodes, tiers, requests: [request('runs', 'peer', on('a')), request('ada', tier)] }),
      'ada',
    )?.reason;
  };
  assert.equal(reasonFor('high', 1, 0), 'NoSeat', 'cpu is short, the GPU is free');
  assert.equal(reasonFor('middle', 1, 2), 'NoSeat', 'an overdrawn GPU does not matter to an agent that needs none');
  const twoKinds = planned({
    nodes: [node('a', { cpuMillis: 900, memoryBytes: 900, pods: 10, devices: { [GPU]: 1, 'b.org/fpga': 1 } })],
    tiers: [
      HIGH,
      { name: 'fpga', rank: 2, size: { cpuMillis: 1, memoryBytes: 1, pods: 1, devices: { 'b.org/fpga': 1 } } },
    ],
    requests: [
      request('runs', 'high', on('a')),
      request('waits', 'high'),
      request('runs2', 'fpga', on('a')),
      request('waits2', 'fpga'),
    ],
  });
  assert.deepEqual(
    ['waits', 'waits2'].map((name) => decision(twoKinds, name)?.blocking),
    [GPU, 'b.org/fpga'],
  );
});

test('a pod that waits for the scheduler stays while the room of its seat is cleared', () => {
  const nodes = [node('a', room(100, 100, 0, 10), { ending: LOW.size })];
  const plan = planned({ nodes, requests: [request('ada', 'low', { pod: {} })] });
  assert.deepEqual(decision(plan, 'ada'), { granted: true, node: 'a', reason: 'SeatClearing', blocking: 'node a' });
});

test('an agent that only waits for a pod to end has no place in the queue', () => {
  const nodes = [node('a', room(100, 100, 0, 10), { ending: LOW.size })];
  const plan = planned({
    nodes,
    requests: [request('ada', 'low', { waitingSince: '2026-11-22T08:00:00Z' }), request('bob', 'low')],
  });
  assert.deepEqual([decision(plan, 'ada')?.position, decision(plan, 'bob')?.position, plan.waiting], [undefined, 1, 2]);
});
