/** Seats: a table of situations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeatClaim, SeatTier } from './seat-input.ts';
import { claim, GPU, HIGH, LOW, MIDDLE, node, on, planned, room, verdict } from './testing/sample-village.ts';
import { queuePlace, seatSentence } from './verdict.ts';

test('seats are what the nodes hold, less the pods of others and the reserve', () => {
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

test('agents spread: the node with the fewest is next, whatever room another has', () => {
  const nodes = [node('a', room(500, 1_000, 0, 10)), node('b', room(1_000, 1_000, 0, 10))];
  const plan = planned({ nodes, claims: ['ada', 'bob', 'eve', 'joe'].map((name) => claim(name, 'low')) });
  assert.deepEqual(
    ['ada', 'bob', 'eve', 'joe'].map((name) => verdict(plan, name)?.node),
    ['b', 'a', 'b', 'a'],
  );
});

test('who waits longest is first, and the others are told their place', () => {
  const claims = [
    claim('late', 'low', { waitingSince: '2026-11-22T10:00:05Z' }),
    claim('early', 'low', { waitingSince: '2026-11-22T10:00:00Z' }),
    claim('new', 'low'),
  ];
  const plan = planned({ nodes: [node('a', room(100, 1_000, 0, 10))], claims });
  assert.deepEqual(
    [verdict(plan, 'early'), verdict(plan, 'late'), verdict(plan, 'new')],
    [
      { granted: true, node: 'a' },
      { granted: false, reason: 'NoSeat', blocking: 'cpu', position: 1 },
      { granted: false, reason: 'NoSeat', blocking: 'cpu', position: 2 },
    ],
  );
  assert.equal(
    seatSentence(verdict(plan, 'new') ?? { granted: true }),
    'no node has cpu left for a seat; place 2 in the queue',
  );
});

test('a higher tier takes the seat of the lowest, and of the youngest there', () => {
  const claims = [
    claim('old', 'low', { ...on('a'), createdAt: '2026-11-22T08:00:00Z' }),
    claim('young', 'low', { ...on('a'), createdAt: '2026-11-22T08:30:00Z' }),
    claim('mid', 'middle', on('a')),
    claim('top', 'high'),
  ];
  const plan = planned({ nodes: [node('a', room(500, 1_000, 1, 10))], claims });
  assert.deepEqual(verdict(plan, 'top'), { granted: false, node: 'a', reason: 'SeatClearing', blocking: 'node a' });
  assert.deepEqual(verdict(plan, 'young'), { granted: false, reason: 'Displaced', blocking: 'agent top', position: 1 });
  assert.equal(verdict(plan, 'old')?.granted, true);
  assert.equal(verdict(plan, 'mid')?.granted, true);
});

test('the room of a pod that is ending is given to nobody before it is gone, and nobody else is displaced meanwhile', () => {
  const nodes = [node('a', room(500, 1_000, 1, 10))];
  const others = [
    claim('old', 'low', { ...on('a'), createdAt: '2026-11-22T08:00:00Z' }),
    claim('mid', 'middle', on('a')),
    claim('top', 'high'),
  ];
  const ending = [{ node: 'a', size: LOW.size }];
  const during = planned({ nodes, claims: [...others, claim('young', 'low', { ending })] });
  assert.deepEqual(
    [
      verdict(during, 'top')?.reason,
      verdict(during, 'young')?.granted,
      verdict(during, 'old')?.granted,
      verdict(during, 'mid')?.granted,
    ],
    ['SeatClearing', false, true, true],
  );
  assert.equal(
    seatSentence(verdict(during, 'top') ?? { granted: true }),
    'a pod on node a is ending and has the room of the seat until it is gone',
  );
  const asleep = planned({ nodes: [node('a', room(500, 1_000, 1, 10), { ending: LOW.size })], claims: others });
  assert.equal(verdict(asleep, 'top')?.reason, 'SeatClearing', 'also where its agent asks for no seat any more');
  assert.deepEqual(verdict(planned({ nodes, claims: [...others, claim('young', 'low')] }), 'top'), {
    granted: true,
    node: 'a',
  });
  const own = planned({ nodes: [node('a', room(100, 100, 0, 10))], claims: [claim('ada', 'low', { ending })] });
  assert.deepEqual(
    verdict(own, 'ada'),
    { granted: true, node: 'a' },
    'the next pod of the same agent begins beside it',
  );
  const elsewhere = planned({
    nodes: [node('a', room(100, 100, 0, 10), { ending: LOW.size }), node('b', room(100, 100, 0, 10))],
    claims: [claim('ada', 'low')],
  });
  assert.deepEqual(verdict(elsewhere, 'ada'), { granted: true, node: 'b' }, 'a node with room now comes first');
});

test('a larger size waits for a pod that is ending, and keeps what it has', () => {
  const plan = planned({
    nodes: [node('a', room(290, 290, 0, 10), { ending: LOW.size })],
    claims: [claim('ada', 'middle', on('a', LOW.size)), claim('bob', 'low')],
  });
  assert.deepEqual(verdict(plan, 'ada'), { granted: true, node: 'a', reason: 'SeatClearing', blocking: 'node a' });
  assert.deepEqual([verdict(plan, 'bob')?.granted, plan.seatsOf('low')?.free], [false, 0]);
});

test('a pod that was made for a seat on one node has it there, and elsewhere only where that node has failed', () => {
  const nodes = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  const held = claim('ada', 'low', { pod: { heldTo: 'a' } });
  assert.equal(verdict(planned({ nodes, claims: [held] }), 'ada')?.node, 'a');
  assert.equal(
    verdict(
      planned({
        nodes: [node('a', room(100, 100, 0, 10), { open: false }), node('b', room(900, 900, 0, 10))],
        claims: [held],
      }),
      'ada',
    )?.node,
    'b',
  );
});

test('a pod that waits for another node than that of its volume goes back there once it has room, and stays until then', () => {
  const ada = claim('ada', 'low', { pod: { heldTo: 'b' }, volumeOn: 'a' });
  const roomy = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  assert.equal(verdict(planned({ nodes: roomy, claims: [ada] }), 'ada')?.node, 'a');
  const full = [node('a', room(0, 0, 0, 10)), node('b', room(100, 100, 0, 10)), node('c', room(900, 900, 0, 10))];
  assert.equal(verdict(planned({ nodes: full, claims: [ada] }), 'ada')?.node, 'b');
});

test('a peer never takes a seat', () => {
  const plan = planned({
    nodes: [node('a', room(100, 100, 0, 10))],
    claims: [
      claim('runs', 'low', on('a')),
      claim('waits', 'low', { createdAt: '2026-01-01T00:00:00Z', waitingSince: '2026-01-01T00:00:00Z' }),
    ],
  });
  assert.equal(verdict(plan, 'runs')?.granted, true);
  assert.equal(verdict(plan, 'waits')?.reason, 'NoSeat');
});

const PRIORITY = { seat: { rank: LOW.rank + 0.5, size: LOW.size } };
const WINDOW = { seat: { rank: 2_000, size: room(100, 100, 1) } };

test('who has bought priority is served before its tier and after the next, and takes the seat of a peer', () => {
  const nodes = [node('a', room(200, 200, 0, 10))];
  const plan = planned({
    nodes,
    claims: [
      claim('runs', 'low', on('a')),
      claim('young', 'low', { ...on('a'), createdAt: '2026-11-22T09:30:00Z' }),
      claim('bought', 'low', PRIORITY),
    ],
  });
  assert.deepEqual(
    [verdict(plan, 'bought')?.reason, verdict(plan, 'young')?.reason, verdict(plan, 'runs')?.granted],
    ['SeatClearing', 'Displaced', true],
  );
  const among = planned({
    nodes,
    claims: [
      claim('bought', 'low', { ...PRIORITY, ...on('a') }),
      claim('peer', 'low', on('a')),
      claim('mid', 'middle'),
    ],
  });
  assert.deepEqual(
    [verdict(among, 'mid')?.reason, verdict(among, 'bought')?.reason, verdict(among, 'peer')?.reason],
    ['SeatClearing', 'Displaced', 'Displaced'],
  );
});

test("a GPU that was sold for a time is its buyer's, whoever sits on it", () => {
  const claims = [claim('top', 'high', on('a')), claim('buyer', 'low', { ...WINDOW, ...on('a', room(100, 100)) })];
  const plan = planned({ claims });
  assert.deepEqual(
    [verdict(plan, 'buyer'), verdict(plan, 'top')?.reason],
    [{ granted: true, node: 'a', reason: 'SeatClearing', blocking: 'node a' }, 'Displaced'],
  );
  const free = planned({
    nodes: [node('a', room(1_000, 1_000, 0, 10)), node('b', room(1_000, 1_000, 1, 10))],
    claims: [claim('buyer', 'low', WINDOW)],
  });
  assert.equal(verdict(free, 'buyer')?.node, 'b');
});

test('a seat that is bought after the plan was made is admitted from what is free, and a device that nobody asked for waits for the next plan', () => {
  const plan = planned({ claims: [claim('ada', 'low', on('a'))] });
  assert.equal(plan.admit(claim('ada', 'low', { ...WINDOW, ...on('a', room(100, 100)) }))?.granted, true);
  const blind = planned({ tiers: [LOW], claims: [claim('ada', 'low', on('a'))] });
  assert.equal(blind.admit(claim('ada', 'low', { ...WINDOW, ...on('a', room(100, 100)) })), undefined);
  assert.equal(blind.admit(claim('ada', 'low', { ...PRIORITY, ...on('a') }))?.granted, true);
});

test('who is displaced keeps a claim on what is free elsewhere: a lower tier does not get it first', () => {
  const nodes = [node('a', room(400, 400, 1, 10)), node('b', room(200, 200, 0, 10))];
  const claims = [
    claim('mid', 'middle', on('a')),
    claim('mid2', 'middle', on('a')),
    claim('top', 'high'),
    claim('low', 'low'),
  ];
  const plan = planned({ nodes, claims });
  assert.deepEqual(
    [
      verdict(plan, 'top')?.node,
      [verdict(plan, 'mid')?.reason, verdict(plan, 'mid2')?.reason].toSorted(),
      verdict(plan, 'low')?.granted,
    ],
    ['a', ['Displaced', undefined], false],
  );
});

test('of two nodes the one with the lower ranks makes room, even where more agents have to go; among equals the one where fewer go', () => {
  const top: SeatTier = { name: 'top', rank: 3, size: room(200, 200) };
  const tiers = [LOW, MIDDLE, top];
  const displaced = (claims: readonly SeatClaim[]): readonly string[] => {
    const plan = planned({
      nodes: [node('a', room(200, 200, 0, 10)), node('b', room(200, 200, 0, 10))],
      tiers,
      claims: [...claims, claim('queen', 'top')],
    });
    return claims
      .map(({ key }) => key.slice('village/'.length))
      .filter((name) => verdict(plan, name)?.reason === 'Displaced');
  };
  assert.deepEqual(
    displaced([claim('mid', 'middle', on('a')), claim('one', 'low', on('b')), claim('two', 'low', on('b'))]),
    ['one', 'two'],
  );
  assert.deepEqual(
    displaced([claim('one', 'low', on('a')), claim('two', 'low', on('a')), claim('mid', 'middle', on('b'))]),
    ['one', 'two'],
  );
  const wide: SeatTier = { name: 'wide', rank: 0, size: room(200, 200) };
  tiers.push(wide);
  assert.deepEqual(
    displaced([claim('one', 'low', on('a')), claim('two', 'low', on('a')), claim('all', 'wide', on('b'))]),
    ['all'],
  );
});

test('a larger tier grows in place, or keeps what it has until there is room', () => {
  const growing = claim('ada', 'middle', on('a', LOW.size));
  const free = planned({ nodes: [node('a', room(300, 300, 0, 10))], claims: [growing] });
  assert.deepEqual(verdict(free, 'ada'), { granted: true, node: 'a' });
  const full = planned({
    nodes: [node('a', room(250, 250, 0, 10)), node('b', room(900, 900, 0, 10))],
    claims: [growing, claim('bob', 'middle', on('a'))],
  });
  assert.deepEqual(verdict(full, 'ada'), {
    granted: true,
    node: 'a',
    reason: 'NodeFull',
    blocking: 'node a',
    position: 1,
  });
  assert.equal(
    seatSentence(verdict(full, 'ada') ?? { granted: true }),
    'keeps the seat that it has: node a, the only node that the agent may use, has no room left; place 1 in the queue',
  );
});

test('a tier with a GPU may be had on another node, unless the volume pins the agent', () => {
  const nodes = [node('a', room(900, 900, 0, 10)), node('b', room(900, 900, 1, 10))];
  const claims = [claim('ada', 'high', on('a', MIDDLE.size))];
  assert.deepEqual(verdict(planned({ nodes, claims }), 'ada'), { granted: true, node: 'b' });
  const pinned = planned({ nodes, claims: [claim('ada', 'high', { ...on('a', MIDDLE.size), pinnedTo: 'a' })] });
  assert.deepEqual(verdict(pinned, 'ada'), {
    granted: true,
    node: 'a',
    reason: 'TooLarge',
    blocking: GPU,
    position: 1,
  });
});

test('a volume draws its agent to its node, and lets it go elsewhere only where there is room anyway', () => {
  const nodes = [node('a', room(100, 100, 0, 10)), node('b', room(900, 900, 0, 10))];
  assert.equal(verdict(planned({ nodes, claims: [claim('ada', 'low', { volumeOn: 'a' })] }), 'ada')?.node, 'a');
  assert.equal(verdict(planned({ nodes, claims: [claim('ada', 'low', { volumeOn: 'lost' })] }), 'ada')?.node, 'b');
  const full = [node('a', room(0, 0, 0, 10)), node('b', room(200, 200, 0, 10))];
  const plan = planned({
    nodes: full,
    claims: [claim('ada', 'middle', { volumeOn: 'a' }), claim('low', 'low', on('b')), claim('low2', 'low', on('b'))],
  });
  assert.deepEqual(
    [verdict(plan, 'ada')?.granted, verdict(plan, 'low')?.granted, verdict(plan, 'low2')?.granted],
    [false, true, true],
  );
});

test('every reason is given where it applies', () => {
  const nodes = [node('a', room(400, 400, 1, 10)), node('shut', room(400, 400, 0, 10), { open: false })];
  const claims = [
    claim('gpu1', 'high', on('a')),
    claim('gpu2', 'high'),
    claim('big', 'giant'),
    claim('gone', 'low', { pinnedTo: 'nowhere' }),
    claim('shut', 'low', { pinnedTo: 'shut' }),
    claim('fill1', 'middle', on('a')),
    claim('pin', 'low', { pinnedTo: 'a' }),
    claim('any', 'low'),
    claim('lost', 'nothing'),
  ];
  const plan = planned({ nodes, tiers: [LOW, MIDDLE, HIGH, { name: 'giant', rank: 0, size: room(9_000, 1) }], claims });
  assert.deepEqual(
    Object.fromEntries(
      ['gpu2', 'big', 'gone', 'shut', 'pin', 'any', 'lost'].map((name) => [name, verdict(plan, name)?.reason]),
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
  assert.equal(verdict(planned({ nodes: [], claims: [claim('ada', 'low')] }), 'ada')?.reason, 'NoNode');
});

test('a pod that waits for the scheduler is left to it, and one on a lost or cordoned node stays', () => {
  const plan = planned({
    nodes: [node('a', room(50, 50, 0, 10)), node('shut', room(400, 400, 0, 10), { open: false })],
    claims: [
      claim('pending', 'low', { pod: {} }),
      claim('there', 'low', on('shut')),
      claim('gone', 'low', on('nowhere')),
    ],
  });
  assert.deepEqual(
    ['pending', 'there', 'gone'].map((name) => verdict(plan, name)?.granted),
    [true, true, true],
  );
  assert.equal(verdict(plan, 'pending')?.reason, 'TooLarge');
});

test("a node that others' pods overfilled keeps its agents and gets nobody new", () => {
  const plan = planned({
    nodes: [node('a', room(400, 400, 0, 10), { taken: room(350, 350, 0, 3) })],
    claims: [claim('runs', 'low', on('a')), claim('new', 'low')],
  });
  assert.deepEqual(
    [verdict(plan, 'runs')?.granted, verdict(plan, 'new')?.reason, plan.seatsOf('low')],
    [true, 'TooLarge', { total: 0, free: 0 }],
  );
});

test('one more is admitted at once from what is free, and never from what is not', () => {
  const plan = planned({ nodes: [node('a', room(300, 300, 0, 10))], claims: [claim('ada', 'low', on('a'))] });
  assert.deepEqual(plan.admit(claim('bob', 'low')), { granted: true, node: 'a' });
  assert.deepEqual(plan.admit(claim('bob', 'low')), { granted: true, node: 'a' });
  assert.deepEqual(plan.seatsOf('low'), { total: 3, free: 1 });
  assert.equal(plan.admit(claim('cleo', 'middle')), undefined);
  assert.deepEqual(plan.admit(claim('ada', 'middle', on('a', LOW.size))), { granted: true, node: 'a' });
  assert.equal(plan.admit(claim('dan', 'low')), undefined);
  assert.deepEqual(plan.seatsOf('low'), { total: 3, free: 0 });
});

test('places in a long queue are rounded so that they stay still, and the sentence says so', () => {
  assert.deepEqual(
    [1, 9, 10, 11, 19, 20, 49, 50, 99, 100, 4_999].map(queuePlace),
    [1, 9, 10, 10, 10, 20, 20, 50, 50, 100, 2_000],
  );
  const said = (position: number): string => seatSentence({ granted: false, reason: 'NoNode', position });
  assert.equal(said(9), 'no node is ready and open to agents; place 9 in the queue');
  assert.equal(said(10), 'no node is ready and open to agents; place 10 or later in the queue');
});
