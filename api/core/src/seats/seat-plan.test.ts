/** Seats: a table of situations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeatRequest, SeatTier } from './seat-input.ts';
import { request, GPU, HIGH, LOW, MIDDLE, node, on, planned, room, decision, seat } from './testing/sample-village.ts';
import { queuePlace, seatSentence } from './seat-decision.ts';

test('seats are the room of the nodes without other pods and the reserve', () => {
  const nodes = [
    node('a', room(1_000, 1_000, 1, 10), { taken: room(250, 100, 0, 2) }),
    node('b', room(1_000, 1_000, 0, 10)),
    node('c', room(1_000, 1_000), { open: false }),
  ];
  const plan = planned({ nodes, reserve: room(50, 100, 0, 0) });
  assert.deepEqual(plan.seatsOf('low'), { total: 7 + 9, free: 7 + 9 });
  assert.deepEqual(plan.seatsOf('middle'), { total: 3 + 4, free: 3 + 4 });
  assert.deepEqual(plan.seatsOf('high'), { total: 1, free: 1 });
  assert.equal(plan.seatsOf('none'), undefined);
});

test('agents spread: the node with the fewest agents is next, even if another has more room', () => {
  const nodes = [node('a', room(500, 1_000, 0, 10)), node('b', room(1_000, 1_000, 0, 10))];
  const plan = planned({ nodes, requests: ['ada', 'bob', 'eve', 'joe'].map((name) => request(name, 'low')) });
  assert.deepEqual(
    ['ada', 'bob', 'eve', 'joe'].map((name) => decision(plan, name)?.node),
    ['b', 'a', 'b', 'a'],
  );
});

test('the agent that has waited longest is first, and the others have their place in the queue', () => {
  const requests = [
    request('late', 'low', { waitingSince: '2026-11-22T10:00:05Z' }),
    request('early', 'low', { waitingSince: '2026-11-22T10:00:00Z' }),
    request('new', 'low'),
  ];
  const plan = planned({ nodes: [node('a', room(100, 1_000, 0, 10))], requests });
  assert.deepEqual(
    [seat(plan, 'early'), seat(plan, 'late'), seat(plan, 'new')],
    ['seat on a', 'no seat NoSeat (cpu) #1', 'no seat NoSeat (cpu) #2'],
  );
  assert.equal(
    seatSentence(decision(plan, 'new') ?? { granted: true }),
    'no node has cpu left for a seat; place 2 in the queue',
  );
});

test('a higher tier takes a seat of the lowest tier, from its youngest agent', () => {
  const requests = [
    request('old', 'low', { ...on('a'), createdAt: '2026-11-22T08:00:00Z' }),
    request('young', 'low', { ...on('a'), createdAt: '2026-11-22T08:30:00Z' }),
    request('mid', 'middle', on('a')),
    request('top', 'high'),
  ];
  const plan = planned({ nodes: [node('a', room(500, 1_000, 1, 10))], requests });
  assert.equal(seat(plan, 'top'), 'no seat on a SeatClearing (node a)');
  assert.equal(seat(plan, 'young'), 'no seat Displaced (agent top) #1');
  assert.equal(decision(plan, 'old')?.granted, true);
  assert.equal(decision(plan, 'mid')?.granted, true);
});

test('the room of an ending pod is not reused before the pod is gone, and no other agent is displaced meanwhile', () => {
  const nodes = [node('a', room(500, 1_000, 1, 10))];
  const others = [
    request('old', 'low', { ...on('a'), createdAt: '2026-11-22T08:00:00Z' }),
    request('mid', 'middle', on('a')),
    request('top', 'high'),
  ];
  const ending = [{ node: 'a', size: LOW.size }];
  const during = planned({ nodes, requests: [...others, request('young', 'low', { ending })] });
  assert.deepEqual(
    [
      decision(during, 'top')?.reason,
      decision(during, 'young')?.granted,
      decision(during, 'old')?.granted,
      decision(during, 'mid')?.granted,
    ],
    ['SeatClearing', false, true, true],
  );
  assert.equal(
    seatSentence(decision(during, 'top') ?? { granted: true }),
    'the room on node a is not free yet: a pod is ending there, or one of a higher tier is about to begin',
  );
  const asleep = planned({ nodes: [node('a', room(500, 1_000, 1, 10), { ending: LOW.size })], requests: others });
  assert.equal(decision(asleep, 'top')?.reason, 'SeatClearing', 'even if its agent does not want a seat any more');
  assert.equal(seat(planned({ nodes, requests: [...others, request('young', 'low')] }), 'top'), 'seat on a');
  const own = planned({ nodes: [node('a', room(100, 100, 0, 10))], requests: [request('ada', 'low', { ending })] });
  assert.equal(seat(own, 'ada'), 'seat on a', 'the next pod of the same agent begins beside it');
  const elsewhere = planned({
    nodes: [node('a', room(100, 100, 0, 10), { ending: LOW.size }), node('b', room(100, 100, 0, 10))],
    requests: [request('ada', 'low')],
  });
  assert.equal(seat(elsewhere, 'ada'), 'seat on b', 'a node that has room now is preferred');
});

test('an agent that needs a larger size waits for an ending pod and keeps its seat', () => {
  const plan = planned({
    nodes: [node('a', room(290, 290, 0, 10), { ending: LOW.size })],
    requests: [request('ada', 'middle', on('a', LOW.size)), request('bob', 'low')],
  });
  assert.equal(seat(plan, 'ada'), 'seat on a SeatClearing (node a)');
  assert.deepEqual([decision(plan, 'bob')?.granted, plan.seatsOf('low')?.free], [false, 0]);
});

test('a pod that was created for one node has its seat there, and elsewhere only if that node has failed', () => {
  const nodes = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  const held = request('ada', 'low', { pod: { heldTo: 'a' } });
  assert.equal(decision(planned({ nodes, requests: [held] }), 'ada')?.node, 'a');
  assert.equal(
    decision(
      planned({
        nodes: [node('a', room(100, 100, 0, 10), { open: false }), node('b', room(900, 900, 0, 10))],
        requests: [held],
      }),
      'ada',
    )?.node,
    'b',
  );
});

test('a pod that waits for a node without its volume returns to the volume once there is room, and stays until then', () => {
  const ada = request('ada', 'low', { pod: { heldTo: 'b' }, volumeOn: 'a' });
  const roomy = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  assert.equal(decision(planned({ nodes: roomy, requests: [ada] }), 'ada')?.node, 'a');
  const full = [node('a', room(0, 0, 0, 10)), node('b', room(100, 100, 0, 10)), node('c', room(900, 900, 0, 10))];
  assert.equal(decision(planned({ nodes: full, requests: [ada] }), 'ada')?.node, 'b');
});

test('an agent of the same rank never takes a seat', () => {
  const plan = planned({
    nodes: [node('a', room(100, 100, 0, 10))],
    requests: [
      request('runs', 'low', on('a')),
      request('waits', 'low', { createdAt: '2026-01-01T00:00:00Z', waitingSince: '2026-01-01T00:00:00Z' }),
    ],
  });
  assert.equal(decision(plan, 'runs')?.granted, true);
  assert.equal(decision(plan, 'waits')?.reason, 'NoSeat');
});

const PRIORITY = { seat: { rank: LOW.rank + 0.5, size: LOW.size } };
const WINDOW = { seat: { rank: 2_000, size: room(100, 100, 1) } };

test('an agent with bought priority is served before its tier and after the next, and takes a seat of its tier', () => {
  const nodes = [node('a', room(200, 200, 0, 10))];
  const plan = planned({
    nodes,
    requests: [
      request('runs', 'low', on('a')),
      request('young', 'low', { ...on('a'), createdAt: '2026-11-22T09:30:00Z' }),
      request('bought', 'low', PRIORITY),
    ],
  });
  assert.deepEqual(
    [decision(plan, 'bought')?.reason, decision(plan, 'young')?.reason, decision(plan, 'runs')?.granted],
    ['SeatClearing', 'Displaced', true],
  );
  const among = planned({
    nodes,
    requests: [
      request('bought', 'low', { ...PRIORITY, ...on('a') }),
      request('peer', 'low', on('a')),
      request('mid', 'middle'),
    ],
  });
  assert.deepEqual(
    [decision(among, 'mid')?.reason, decision(among, 'bought')?.reason, decision(among, 'peer')?.reason],
    ['SeatClearing', 'Displaced', 'Displaced'],
  );
});

test('a sold GPU goes to its buyer, even if another agent uses it', () => {
  const requests = [
    request('top', 'high', on('a')),
    request('buyer', 'low', { ...WINDOW, ...on('a', room(100, 100)) }),
  ];
  const plan = planned({ requests });
  assert.deepEqual(
    [decision(plan, 'buyer'), decision(plan, 'top')?.reason],
    [{ granted: true, node: 'a', reason: 'SeatClearing', blocking: 'node a' }, 'Displaced'],
  );
  const free = planned({
    nodes: [node('a', room(1_000, 1_000, 0, 10)), node('b', room(1_000, 1_000, 1, 10))],
    requests: [request('buyer', 'low', WINDOW)],
  });
  assert.equal(decision(free, 'buyer')?.node, 'b');
});

test('a seat that is bought after the plan uses free room, and a device that no request named waits for the next plan', () => {
  const plan = planned({ requests: [request('ada', 'low', on('a'))] });
  assert.equal(plan.admit(request('ada', 'low', { ...WINDOW, ...on('a', room(100, 100)) }))?.granted, true);
  const blind = planned({ tiers: [LOW], requests: [request('ada', 'low', on('a'))] });
  assert.equal(blind.admit(request('ada', 'low', { ...WINDOW, ...on('a', room(100, 100)) })), undefined);
  assert.equal(blind.admit(request('ada', 'low', { ...PRIORITY, ...on('a') }))?.granted, true);
});

test('a displaced agent reserves free room elsewhere: a lower tier does not get it first', () => {
  const nodes = [node('a', room(400, 400, 1, 10)), node('b', room(200, 200, 0, 10))];
  const requests = [
    request('mid', 'middle', on('a')),
    request('mid2', 'middle', on('a')),
    request('top', 'high'),
    request('low', 'low'),
  ];
  const plan = planned({ nodes, requests });
  assert.deepEqual(
    [
      decision(plan, 'top')?.node,
      [decision(plan, 'mid')?.reason, decision(plan, 'mid2')?.reason].toSorted(),
      decision(plan, 'low')?.granted,
    ],
    ['a', ['Displaced', undefined], false],
  );
});

test('the node with the lower ranks makes room, even if more agents must leave; of equals the one where fewer must leave', () => {
  const top: SeatTier = { name: 'top', rank: 3, size: room(200, 200) };
  const tiers = [LOW, MIDDLE, top];
  const displaced = (requests: readonly SeatRequest[]): readonly string[] => {
    const plan = planned({
      nodes: [node('a', room(200, 200, 0, 10)), node('b', room(200, 200, 0, 10))],
      tiers,
      requests: [...requests, request('queen', 'top')],
    });
    return requests
      .map(({ key }) => key.slice('village/'.length))
      .filter((name) => decision(plan, name)?.reason === 'Displaced');
  };
  assert.deepEqual(
    displaced([request('mid', 'middle', on('a')), request('one', 'low', on('b')), request('two', 'low', on('b'))]),
    ['one', 'two'],
  );
  assert.deepEqual(
    displaced([request('one', 'low', on('a')), request('two', 'low', on('a')), request('mid', 'middle', on('b'))]),
    ['one', 'two'],
  );
  const wide: SeatTier = { name: 'wide', rank: 0, size: room(200, 200) };
  tiers.push(wide);
  assert.deepEqual(
    displaced([request('one', 'low', on('a')), request('two', 'low', on('a')), request('all', 'wide', on('b'))]),
    ['all'],
  );
});

test('an agent grows into a larger tier in place, or keeps its seat until there is room', () => {
  const growing = request('ada', 'middle', on('a', LOW.size));
  const free = planned({ nodes: [node('a', room(300, 300, 0, 10))], requests: [growing] });
  assert.equal(seat(free, 'ada'), 'seat on a');
  const full = planned({
    nodes: [node('a', room(250, 250, 0, 10)), node('b', room(900, 900, 0, 10))],
    requests: [growing, request('bob', 'middle', on('a'))],
  });
  assert.equal(seat(full, 'ada'), 'seat on a NodeFull (node a) #1');
  assert.equal(
    seatSentence(decision(full, 'ada') ?? { granted: true }),
    'keeps its seat: node a, the only node that the agent may use, has no room left; place 1 in the queue',
  );
});

test('an agent gets a tier with a GPU on another node, unless its spec or its volume pins it', () => {
  const nodes = [node('a', room(900, 900, 0, 10)), node('b', room(900, 900, 1, 10))];
  const requests = [request('ada', 'high', on('a', MIDDLE.size))];
  assert.equal(seat(planned({ nodes, requests }), 'ada'), 'seat on b');
  const pinned = planned({ nodes, requests: [request('ada', 'high', { ...on('a', MIDDLE.size), pinnedTo: 'a' })] });
  assert.equal(seat(pinned, 'ada'), `seat on a TooLarge (${GPU}) #1`);
});

test('an agent gets the node of its volume; it gets another only if that has free room', () => {
  const nodes = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  assert.equal(decision(planned({ nodes, requests: [request('ada', 'low', { volumeOn: 'a' })] }), 'ada')?.node, 'a');
  assert.equal(decision(planned({ nodes, requests: [request('ada', 'low', { volumeOn: 'lost' })] }), 'ada')?.node, 'b');
  const full = [node('a', room(0, 0, 0, 10)), node('b', room(200, 200, 0, 10))];
  const plan = planned({
    nodes: full,
    requests: [
      request('ada', 'middle', { volumeOn: 'a' }),
      request('low', 'low', on('b')),
      request('low2', 'low', on('b')),
    ],
  });
  assert.deepEqual(
    [decision(plan, 'ada')?.granted, decision(plan, 'low')?.granted, decision(plan, 'low2')?.granted],
    [false, true, true],
  );
});

test('each reason appears in its own case', () => {
  const nodes = [node('a', room(400, 400, 1, 10)), node('shut', room(400, 400, 0, 10), { open: false })];
  const requests = [
    request('gpu1', 'high', on('a')),
    request('gpu2', 'high'),
    request('big', 'giant'),
    request('gone', 'low', { pinnedTo: 'nowhere' }),
    request('shut', 'low', { pinnedTo: 'shut' }),
    request('fill1', 'middle', on('a')),
    request('pin', 'low', { pinnedTo: 'a' }),
    request('any', 'low'),
    request('lost', 'nothing'),
  ];
  const plan = planned({
    nodes,
    tiers: [LOW, MIDDLE, HIGH, { name: 'giant', rank: 0, size: room(9_000, 1) }],
    requests,
  });
  assert.deepEqual(
    Object.fromEntries(
      ['gpu2', 'big', 'gone', 'shut', 'pin', 'any', 'lost'].map((name) => [name, decision(plan, name)?.reason]),
    ),
    {
      gpu2: 'GpuBooked',
      big: 'TooLarge',
      gone: 'NodeClosed',
      shut: 'NodeClosed',
      pin: 'NodeFull',
      any: 'NoSeat',
      lost: undefined,
    },
  );
  assert.equal(decision(planned({ nodes: [], requests: [request('ada', 'low')] }), 'ada')?.reason, 'NoNode');
});

test('a pod that waits for the scheduler stays, and so does one on a lost or cordoned node', () => {
  const plan = planned({
    nodes: [node('a', room(50, 50, 0, 10)), node('shut', room(400, 400, 0, 10), { open: false })],
    requests: [
      request('pending', 'low', { pod: {} }),
      request('there', 'low', on('shut')),
      request('gone', 'low', on('nowhere')),
    ],
  });
  assert.deepEqual(
    ['pending', 'there', 'gone'].map((name) => decision(plan, name)?.granted),
    [true, true, true],
  );
  assert.equal(decision(plan, 'pending')?.reason, 'TooLarge');
});

test('a node overfilled by other pods keeps its agents and gets no new one', () => {
  const plan = planned({
    nodes: [node('a', room(400, 400, 0, 10), { taken: room(350, 350, 0, 3) })],
    requests: [request('runs', 'low', on('a')), request('new', 'low')],
  });
  assert.deepEqual(
    [decision(plan, 'runs')?.granted, decision(plan, 'new')?.reason, plan.seatsOf('low')],
    [true, 'TooLarge', { total: 0, free: 0 }],
  );
});

test('a new agent is admitted at once if there is free room, and otherwise not', () => {
  const plan = planned({ nodes: [node('a', room(300, 300, 0, 10))], requests: [request('ada', 'low', on('a'))] });
  assert.deepEqual(plan.admit(request('bob', 'low')), { granted: true, node: 'a' });
  assert.deepEqual(plan.admit(request('bob', 'low')), { granted: true, node: 'a' });
  assert.deepEqual(plan.seatsOf('low'), { total: 3, free: 1 });
  assert.equal(plan.admit(request('cleo', 'middle')), undefined);
  assert.deepEqual(plan.admit(request('ada', 'middle', on('a', LOW.size))), { granted: true, node: 'a' });
  assert.equal(plan.admit(request('dan', 'low')), undefined);
  assert.deepEqual(plan.seatsOf('low'), { total: 3, free: 0 });
});

test('places in a long queue are rounded so that they rarely change, and the message says so', () => {
  assert.deepEqual(
    [1, 9, 10, 11, 19, 20, 49, 50, 99, 100, 4_999].map(queuePlace),
    [1, 9, 10, 10, 10, 20, 20, 50, 50, 100, 2_000],
  );
  const said = (position: number): string => seatSentence({ granted: false, reason: 'NoNode', position });
  assert.equal(said(9), 'no node is ready and open to agents; place 9 in the queue');
  assert.equal(said(10), 'no node is ready and open to agents; place 10 or later in the queue');
});
