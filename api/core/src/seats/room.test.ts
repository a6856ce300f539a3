import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, beyond, differInDevices, fits, isWithin, shortageOf, sum, timesIn, type Amounts } from './room.ts';

/** Cpu, memory, pods, then two kinds of devices. */
const DEVICE_NAMES = ['gpu', 'fpga'];
const NODE: Amounts = [400, 300, 10, 2, 1];

const CASES: readonly (readonly [need: Amounts, room: Amounts, times: number, short: string | undefined])[] = [
  [[100, 100, 1, 0, 0], NODE, 3, undefined],
  [[400, 300, 10, 2, 1], NODE, 1, undefined],
  [[401, 100, 1, 0, 0], NODE, 0, 'cpu'],
  [[401, 301, 1, 0, 0], NODE, 0, 'memory'],
  [[1, 1, 11, 0, 0], NODE, 0, 'pods'],
  [[401, 301, 11, 3, 0], NODE, 0, 'gpu'],
  [[1, 1, 1, 2, 2], NODE, 0, 'fpga'],
  [[1, 1, 1, 3, 2], NODE, 0, 'gpu'],
  [[100, 100, 1, 0, 0], [100, 100, 1, -1, -1], 1, undefined],
  [[100, 0, 1, 0, 0], [250, -50, 5, 0, 0], 2, undefined],
  [[1, 1, 1, 0, 0], [-50, 1, 1, 0, 0], 0, 'cpu'],
  [[1, 1, 1, 1, 0], [9, 9, 9], 0, 'gpu'],
];

for (const [need, room, times, short] of CASES) {
  test(`${need.join('/')} fits ${times} times into ${room.join('/')}${short === undefined ? '' : `: ${short} is short`}`, () => {
    assert.equal(timesIn(need, room), times);
    assert.equal(fits(need, room), times > 0);
    assert.equal(shortageOf(need, room, DEVICE_NAMES), short);
  });
}

test('a need of zero fits even if no room is left', () => {
  assert.equal(timesIn([0, 0, 0], [-1, -1, -1]), Number.MAX_SAFE_INTEGER);
  assert.equal(fits([0, 0, 0], [-1, -1, -1]), true);
});

test('sizes are added, subtracted and compared resource by resource', () => {
  const left = [...NODE];
  add(left, [100, 100, 1, 1, 0], -1);
  assert.deepEqual(left, [300, 200, 9, 1, 1]);
  add(left, [100, 100, 1, 1, 0], 1);
  assert.deepEqual(left, NODE);
  assert.deepEqual(sum(NODE, [1, 2]), [401, 302, 10, 2, 1]);
  assert.deepEqual(beyond([5, 2, 1], [3, 4]), [2, 0, 1]);
  assert.deepEqual(
    [isWithin([1, 2], [1, 2]), isWithin([2, 2], [1, 2]), isWithin([0, 0, 1], [1, 2])],
    [true, false, false],
  );
});

test('a pod cannot change its devices while it runs; cpu, memory and pods do not count', () => {
  assert.equal(differInDevices([1, 1, 1, 1], [2, 2, 2, 1]), false);
  assert.equal(differInDevices([1, 1, 1, 1, 0], [1, 1, 1, 0, 0]), true);
  assert.equal(differInDevices([1, 1, 1, 1, 0], [1, 1, 1, 1, 1]), true);
});
