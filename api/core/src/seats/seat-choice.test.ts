/** The node that an agent gets, the room that it holds meanwhile, and the reason why it waits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeatTier, SeatRequest } from './seat-input.ts';
import { request, GPU, HIGH, LOW, MIDDLE, node, on, planned, room, decision, seat } from './testing/sample-village.ts';
import { enqueue, firstServed, type Want } from './seat-decision.ts';
import { amountsOf } from './room.ts';

test('among equal nodes the first by name is chosen; among nodes with equally many agents, the one with more free seats', () => {
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

test('a node can fill its last seat, and a full node gets no agent', () => {
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
  assert.equal(seat(plan, 'ada'), 'seat on b');
  assert.equal(seat(plan, 'bob'), 'no seat on a SeatClearing (node a)');
});

test('a pod that grows in one resource and shrinks in another holds the rest of the old size until it is smaller', () => {
  const nodes = [node('a', room(400, 400, 0, 10))];
  const plan = planned({ nodes, requests: [request('ada', 'middle', on('a', room(100, 350))), request('bob', 'low')] });
  assert.equal(seat(plan, 'ada'), 'seat on a');
  assert.equal(decision(plan, 'bob')?.reason, 'SeatClearing');
});

test('an agent that waits for room on another node keeps its whole seat there, and its old one', () => {
  const nodes = [node('a', room(300, 300, 0, 10)), node('b', room(300, 300, 1, 10), { ending: room(0, 0, 1, 0) })];
  const plan = planned({ nodes, requests: [request('ada', 'high', on('a', MIDDLE.size))] });
  assert.equal(seat(plan, 'ada'), 'seat on a SeatClearing (node b)');
  assert.deepEqual([plan.seatsOf('low')?.free, plan.seatsOf('high')?.free], [1 + 1, 0]);
});

test('an agent with a volume does not move to the node with a GPU', () => {
  const nodes = [node('a', room(900, 900, 0, 10)), node('b', room(900, 900, 1, 10))];
  const plan = planned({ nodes, requests: [request('ada', 'high', { ...on('a', MIDDLE.size), volumeOn: 'a' })] });
  assert.equal(seat(plan, 'ada'), `seat on a TooLarge (${GPU}) #1`);
});

test('the reason of an agent that could move is that no node has room, not that its own is full', () => {
  const nodes = [node('a', room(500, 500, 0, 10)), node('b', room(300, 300, 1, 10))];
  const other: SeatTier = { name: 'other', rank: 2, size: room(200, 200) };
  const plan = planned({
    nodes,
    tiers: [LOW, MIDDLE, HIGH, other],
    requests: [request('ada', 'high', on('a', MIDDLE.size)), request('bob', 'other', on('b'))],
  });
  assert.equal(seat(plan, 'ada'), 'seat on a NoSeat (memory) #1');
});

test('the reason GpuBooked appears only if GPUs are short', () => {
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
  assert.equal(seat(plan, 'ada'), 'seat on a SeatClearing (node a)');
});

test('an agent that only waits for a pod to end has no place in the queue', () => {
  const nodes = [node('a', room(100, 100, 0, 10), { ending: LOW.size })];
  const plan = planned({
    nodes,
    requests: [request('ada', 'low', { waitingSince: '2026-11-22T08:00:00Z' }), request('bob', 'low')],
  });
  assert.deepEqual([decision(plan, 'ada')?.position, decision(plan, 'bob')?.position, plan.waiting], [undefined, 1, 2]);
});

const want = (name: string, rank: number, parts: Partial<SeatRequest> = {}): Want => ({
  request: request(name, 'low', parts),
  tier: { name: 'low', rank, size: amountsOf(LOW.size, []) },
});
const EARLY = '2026-11-22T08:00:00Z';
const LATE = '2026-11-22T10:00:00Z';

const ORDER: readonly (readonly [rule: string, first: Want, second: Want])[] = [
  ['the higher rank', want('b', 2), want('a', 1, { pod: { node: 'n' }, waitingSince: EARLY, createdAt: EARLY })],
  [
    'an agent with a bound pod before one whose pod waits for the scheduler',
    want('b', 1, { pod: { node: 'n' } }),
    want('a', 1, { pod: {}, waitingSince: EARLY }),
  ],
  [
    'an agent with a bound pod before one between two pods',
    want('b', 1, { pod: { node: 'n' } }),
    want('a', 1, { seated: true, waitingSince: EARLY }),
  ],
  [
    'an agent whose pod waits for the scheduler before one without a pod',
    want('b', 1, { pod: {} }),
    want('a', 1, { waitingSince: EARLY }),
  ],
  [
    'an agent between two pods before one that never had a seat',
    want('b', 1, { seated: true }),
    want('a', 1, { waitingSince: EARLY }),
  ],
  [
    'a pod that waits for the scheduler counts like a seat between two pods',
    want('b', 1, { pod: {}, waitingSince: EARLY }),
    want('a', 1, { seated: true, waitingSince: LATE }),
  ],
  ['the longest wait', want('b', 1, { waitingSince: EARLY }), want('a', 1, { waitingSince: LATE, createdAt: EARLY })],
  ['a wait before none', want('b', 1, { waitingSince: LATE }), want('a', 1, { createdAt: EARLY })],
  ['the older agent', want('b', 1, { createdAt: EARLY }), want('a', 1, { createdAt: LATE })],
  ['the name', want('a', 1), want('b', 1)],
];

for (const [rule, first, second] of ORDER) {
  test(`served first: ${rule}`, () => {
    assert.ok(firstServed(first, second) < 0);
    assert.ok(firstServed(second, first) > 0);
    assert.equal(firstServed(first, first), 0);
  });
}

test('a request joins a sorted queue after those that come before it or are equal', () => {
  const sorted = ORDER.flatMap(([, first, second]) => [first, second]).toSorted(firstServed);
  for (const late of sorted) {
    const queue = sorted.filter((other) => other !== late);
    enqueue(queue, late);
    assert.deepEqual(
      queue.map((each) => firstServed(each, late) <= 0),
      queue.map((_, index) => index <= queue.indexOf(late)),
    );
  }
});

/** The scheduler chooses this agent's node, so it must not be displaced repeatedly from a node to which it returns. */
test('an agent whose node the scheduler chooses is displaced once, and waits until the seat of the higher tier is taken', () => {
  const nodes = [node('a', room(100, 100, 0, 10)), node('b', room(200, 200, 0, 10))];
  const high = (parts: Partial<SeatRequest>): SeatRequest => request('high', 'middle', { pinnedTo: 'b', ...parts });
  const roams = (parts: Partial<SeatRequest>): SeatRequest => request('roams', 'low', { roams: true, ...parts });
  const seats = (...requests: readonly SeatRequest[]): readonly unknown[] => {
    const plan = planned({ nodes, requests });
    return ['high', 'roams'].map((name) => {
      const { granted, reason } = decision(plan, name) ?? {};
      return [granted, reason];
    });
  };
  const ending = { ending: [{ node: 'b', size: LOW.size }] };
  assert.deepEqual(seats(high({}), roams(on('b'))), [
    [false, 'SeatClearing'],
    [false, 'Displaced'],
  ]);
  const waits = [false, 'SeatClearing'];
  assert.deepEqual(seats(high({}), roams(ending)), [waits, waits], 'its next pod could take the room on b again');
  assert.deepEqual(seats(high({}), roams({})), [[true, undefined], waits]);
  assert.deepEqual(seats(high({ pod: { heldTo: 'b' } }), roams({})), [[true, undefined], waits]);
  const both = [
    [true, undefined],
    [true, undefined],
  ];
  assert.deepEqual(seats(high(on('b')), roams({})), both, 'node a has a seat for it');
  assert.deepEqual(
    seats(high(on('b')), roams(on('b'))),
    both,
    'even if the scheduler puts it on b, no agent displaces it',
  );
  assert.deepEqual(seats(high({ pinnedTo: 'a', tier: 'low' }), roams({})), both, 'an equal rank displaces no agent');
});

/** Seats that `admit` grants between two plans. */
test('a new agent gets the node of its volume, or another if that has no room', () => {
  const nodes = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  const plan = planned({ nodes });
  assert.equal(plan.admit(request('ada', 'low', { volumeOn: 'a' }))?.node, 'a');
  assert.equal(plan.admit(request('bob', 'low', { volumeOn: 'a' }))?.node, 'b');
});

test('a smaller tier is admitted at once, even on a node that is overfull', () => {
  const nodes = [node('a', room(400, 400, 0, 10), { taken: room(350, 350, 0, 0) })];
  const plan = planned({ nodes, requests: [request('ada', 'middle', on('a'))] });
  assert.deepEqual(plan.admit(request('ada', 'low', on('a', MIDDLE.size))), { granted: true, node: 'a' });
});

test('the room that a smaller tier returns is not given away before the pod is smaller', () => {
  const plan = planned({ nodes: [node('a', room(200, 200, 0, 10))], requests: [request('ada', 'middle', on('a'))] });
  assert.deepEqual(plan.admit(request('ada', 'low', on('a', MIDDLE.size))), { granted: true, node: 'a' });
  assert.deepEqual(plan.admit(request('bob', 'low')), {
    granted: false,
    node: 'a',
    reason: 'SeatClearing',
    blocking: 'node a',
  });
});

test('a larger tier without room waits for the next plan, and the agent keeps its seat', () => {
  const plan = planned({
    nodes: [node('a', room(250, 250, 0, 10))],
    requests: [request('ada', 'low', on('a')), request('bob', 'low', on('a'))],
  });
  assert.equal(plan.admit(request('ada', 'middle', on('a', LOW.size))), undefined);
  assert.deepEqual(
    [plan.decisionOf('village/ada'), plan.seatsOf('low')],
    [
      { granted: true, node: 'a' },
      { total: 2, free: 0 },
    ],
  );
});

test('after a change of its tier, an agent that waits to grow or whose node is gone waits for the next plan', () => {
  const nodes = [node('a', room(250, 250, 0, 10))];
  const growing = planned({
    nodes,
    requests: [request('ada', 'middle', on('a', LOW.size)), request('bob', 'middle', on('a', LOW.size))],
  });
  const waits = ['ada', 'bob'].find((name) => growing.decisionOf(`village/${name}`)?.reason !== undefined) ?? '';
  assert.equal(growing.admit(request(waits, 'low', on('a', LOW.size))), undefined);
  const gone = planned({ nodes, requests: [request('ada', 'middle', on('lost'))] });
  assert.equal(gone.admit(request('ada', 'low', on('lost'))), undefined);
});

test('a bought seat takes its device from the free room, and a device with a count of zero needs none', () => {
  const bought = planned({ requests: [request('ada', 'low', on('a'))] });
  assert.equal(
    bought.admit(request('ada', 'low', { ...on('a', LOW.size), seat: { rank: 9, size: room(100, 100, 1) } }))?.granted,
    true,
  );
  assert.equal(bought.seatsOf('high')?.free, 0);
  const none = planned({ tiers: [LOW], requests: [request('ada', 'low', on('a'))] });
  const size = { ...LOW.size, devices: { [GPU]: 0 } };
  assert.equal(none.admit(request('ada', 'low', { ...on('a'), seat: { rank: 9, size } }))?.granted, true);
});
