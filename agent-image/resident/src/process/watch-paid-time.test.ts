import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './json-log.ts';
import { DOWN, ok } from '../testing/scripted-village.ts';
import type { Answer, Village } from '../village/village.ts';
import { PAID_GRACE_MS, untilPaid, watchPaidTime } from './paid-time.ts';

const NOW = '2026-11-23T12:00:00.000Z';
const at = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();
type Said = Awaited<ReturnType<Village['paidTime']>>;
const until = (ms: number | null): Said => ok({ paid_until: ms === null ? null : at(ms), now: NOW });

/** Ports whose clock starts at 0 and moves to the next of these times after each answer. */
function setUp(answers: readonly Answer<never>[] | readonly Said[], times: readonly number[] = []) {
  const stop = new AbortController();
  const lines: string[] = [];
  let asked = 0;
  let nowMs = 0;
  const paidTime = async (): Promise<Said> => {
    const answer = answers[asked] ?? DOWN;
    nowMs = times[asked] ?? nowMs;
    asked += 1;
    return answer;
  };
  return {
    ports: {
      village: { paidTime },
      now: () => nowMs,
      log: createLog(
        (line) => void lines.push(line),
        () => 0,
        {},
      ),
      stop: stop.signal,
    },
    stop,
    lines,
    asked: () => asked,
  };
}

test('without API and operator the process ends itself after its paid time and the grace period', async () => {
  const { ports, asked } = setUp([DOWN, DOWN], [PAID_GRACE_MS - 5, PAID_GRACE_MS + 1]);
  assert.equal(await watchPaidTime(ports, 1), 'over');
  assert.equal(asked(), 2, 'the process asks the API at the end, and once more before it gives up');
});

test('the process continues when the next hour is paid', async () => {
  const { ports, stop, asked } = setUp([until(3_600_000)]);
  const watching = watchPaidTime(ports, 1);
  while (asked() === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  stop.abort();
  assert.equal(await watching, 'stopped');
});

test('the process ends at once if the API reports that the paid time ended long ago', async () => {
  const { ports } = setUp([until(-PAID_GRACE_MS)]);
  assert.equal(await watchPaidTime(ports, 1), 'over');
});

test('a process starts if its pod is free of charge, its time is paid, or the API lacks the route', async () => {
  for (const answer of [
    until(null),
    until(1_000),
    { kind: 'refused', code: 'not_found', detail: 'old' },
    DOWN,
  ] as const)
    assert.notEqual(await untilPaid(setUp([answer] as readonly Said[]).ports), undefined);
});

test('a process in an unpaid pod waits until the pod is paid, and logs that once', async () => {
  const { ports, lines, asked } = setUp([until(-5_000), DOWN, until(0), until(60_000)]);
  assert.equal(await untilPaid(ports, 1), 60_000);
  assert.deepEqual([asked(), lines.length], [4, 1]);
  assert.match(lines[0] ?? '', /not_paid/);
});
