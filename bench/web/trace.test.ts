import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainThreadWork, type TraceEvent } from './trace.ts';

const event = (name: string, tid: number, [ts, dur, tdur]: readonly [number, number, number]): TraceEvent => ({
  name,
  ph: 'X',
  pid: 1,
  tid,
  ts,
  dur,
  tdur,
});

test('the work of a frame is the processor time of its task; other threads and tasks count apart', () => {
  const work = mainThreadWork([
    event('ThreadControllerImpl::RunTask', 7, [0, 20_000, 3_000]),
    event('FireAnimationFrame', 7, [5_000, 2_000, 2_000]),
    event('ThreadControllerImpl::RunTask', 7, [30_000, 5_000, 4_000]),
    event('ThreadControllerImpl::RunTask', 7, [490_000, 10_000, 5_000]),
    event('FireAnimationFrame', 7, [495_000, 1_000, 1_000]),
    event('ThreadControllerImpl::RunTask', 8, [0, 400_000, 400_000]),
    event('FireAnimationFrame', 8, [1_000, 1_000, 1_000]),
  ]);
  assert.deepEqual(work, { frames: 2, frameP95Ms: 5, frameP50Ms: 5, otherMsPerSecond: 8 });
});

test('a trace without frames is refused with its causes', () => {
  assert.throws(() => mainThreadWork([event('ThreadControllerImpl::RunTask', 7, [0, 1, 1])]), /drew no frame/);
});
