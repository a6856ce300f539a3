/** Seats on a node that is short of memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, LOW, node, on, planned, room, decision, seat } from './testing/sample-village.ts';
import { endsPod, seatSentence } from './seat-decision.ts';
import type { SeatRequest } from './seat-input.ts';

test('a node that is short of memory gives no new and no larger seat, and its agents keep theirs', () => {
  const short = node('a', room(1_000, 1_000, 1, 10), { short: true });
  const requests = [
    request('stays', 'low', on('a', LOW.size)),
    request('grows', 'middle', on('a', LOW.size)),
    request('new', 'low'),
    request('pinned', 'high', { pinnedTo: 'a' }),
    request('starts', 'low', { pod: { heldTo: 'a' } }),
    request('large', 'low', { seat: { rank: 0, size: room(2_000, 100) } }),
  ];
  const alone = planned({ nodes: [short], requests });
  assert.deepEqual(
    ['stays', 'grows', 'new', 'pinned', 'starts', 'large'].map((name) => seat(alone, name)),
    [
      'seat on a',
      'seat on a NodeShort (node a)',
      'no seat NodeShort (node a)',
      'no seat NodeShort (node a)',
      'seat NodeShort (node a)',
      'no seat NodeShort (node a)',
    ],
  );
  assert.equal(
    seatSentence(decision(alone, 'new') ?? { granted: true }),
    'node a is short of memory and gives no seats until it recovers',
  );
  const both = [short, node('b', room(100, 100, 0, 10))];
  assert.equal(seat(planned({ nodes: both, requests: [request('new', 'low')] }), 'new'), 'seat on b');
  const full = node('b', room(0, 0, 0, 10));
  assert.equal(seat(planned({ nodes: [short, full], requests }), 'large'), 'no seat TooLarge (cpu) #1');
  assert.equal(alone.admit(request('stays', 'middle')), undefined, 'also between two plans');
  assert.equal(alone.admit(request('newer', 'low')), undefined);
});

test('an agent that must leave a short node loses its seat, and gets one elsewhere after its pod has ended', () => {
  const nodes = [node('a', room(1_000, 1_000, 1, 10), { short: true }), node('b', room(900, 900, 0, 10))];
  const paused = (parts: Partial<SeatRequest>): SeatRequest => request('ada', 'low', parts);
  const during = planned({ nodes, requests: [paused({ ...on('a'), paused: true })] });
  assert.equal(seat(during, 'ada'), 'no seat NodeShort (node a)');
  assert.equal(endsPod(decision(during, 'ada') ?? { granted: true }), true);
  const ending = [{ node: 'a', size: LOW.size }];
  assert.equal(seat(planned({ nodes, requests: [paused({ ending })] }), 'ada'), 'seat on b');
  const bound = planned({ nodes, requests: [paused({ ending, pinnedTo: 'a' })] });
  assert.equal(seat(bound, 'ada'), 'no seat NodeShort (node a)');
});
