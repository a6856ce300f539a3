import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enqueue, firstServed, type Want } from './seat-decision.ts';
import { amountsOf } from './room.ts';
import type { SeatRequest } from './seat-input.ts';
import { request, LOW } from './testing/sample-village.ts';

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
