import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planWait } from './model-port.ts';

const none = { count: 0, waitedMs: 0, limitMs: 60_000 };

test('a wait is at least as long as the gateway asks for, and grows with each request', () => {
  const busy = (retryAfterMs: number | null, count: number): number | null =>
    planWait({ code: 'model_busy', retryAfterMs }, { ...none, count }, 0);
  assert.deepEqual([busy(5_000, 0), busy(null, 0), busy(0, 0), busy(1_000, 2)], [5_000, 1_000, 1_000, 4_000]);
  assert.equal(busy(1_000, 50), 15_000, 'it has a limit');
  assert.equal(planWait({ code: 'too_many_in_flight', retryAfterMs: 1_000 }, none, 0.9), 1_225, 'waits are spread');
});

test('no wait is planned if waiting cannot help or would exceed the remaining time', () => {
  assert.equal(planWait({ code: 'token_quota_exhausted', retryAfterMs: 1_000 }, none, 0), null);
  assert.equal(planWait({ code: '', retryAfterMs: 1_000 }, none, 0), null);
  const limited = { code: 'rate_limited', retryAfterMs: 40_000 };
  assert.equal(planWait(limited, { ...none, count: 1, waitedMs: 20_000 }, 0), 40_000);
  assert.equal(planWait(limited, { ...none, count: 1, waitedMs: 20_001 }, 0), null);
});
