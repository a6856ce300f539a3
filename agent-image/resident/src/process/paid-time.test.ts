import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaidDecision, PaidEnd } from './paid-time.ts';
import { ASK_AGAIN_MS, ASK_EVERY_MS, decidePaid, mayBegin, PAID_GRACE_MS, paidEnd } from './paid-time.ts';

const NOW = 1_000_000_000;
const ask = (inMs: number): PaidDecision => ({ kind: 'ask', inMs });

const TABLE: readonly (readonly [string, PaidEnd, PaidDecision, boolean])[] = [
  ['nothing has to be paid', null, ask(ASK_EVERY_MS), true],
  ['paid for long', NOW + 3_600_000, ask(ASK_EVERY_MS), true],
  ['paid for a moment: it asks at the end', NOW + 7_000, ask(7_000), true],
  ['at the end', NOW, ask(ASK_AGAIN_MS), false],
  ['shortly before the grace is over', NOW - PAID_GRACE_MS + 1, ask(1), false],
  ['the grace is over', NOW - PAID_GRACE_MS, { kind: 'over' }, false],
  ['long over', 0, { kind: 'over' }, false],
];

for (const [name, end, decision, begins] of TABLE) {
  test(`paid time: ${name}`, () => {
    assert.deepEqual(decidePaid(end, NOW), decision);
    assert.equal(mayBegin(end, NOW), begins);
  });
}

test('the end of the paid time is converted from the clock of the API to that of the process', () => {
  assert.equal(paidEnd({ paid_until: '2026-11-23T12:30:00Z', now: '2026-11-23T12:00:00Z' }, 5_000), 1_805_000);
  assert.equal(paidEnd({ paid_until: '2026-11-23T12:00:00Z', now: '2026-11-23T12:30:00Z' }, 5_000), -1_795_000);
  assert.equal(paidEnd({ paid_until: null, now: '2026-11-23T12:30:00Z' }, 5_000), null);
});
