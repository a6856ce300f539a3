/** An agent whose node the scheduler chooses is not displaced again and again from a node to which it returns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeatRequest } from './seat-input.ts';
import { decision, LOW, node, on, planned, request, room } from './testing/sample-village.ts';

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
