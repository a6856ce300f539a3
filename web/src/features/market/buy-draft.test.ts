import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_PURCHASE, keptPurchase, readPurchase } from './buy-draft.ts';

test('each kind of purchase is read from its own fields', () => {
  assert.deepEqual(readPurchase(EMPTY_PURCHASE), {
    ok: true,
    item: { kind: 'quota', limit: 'tokens_per_hour', amount: 500_000 },
    seconds: 3600,
  });
  assert.deepEqual(readPurchase({ ...EMPTY_PURCHASE, kind: 'model', model: 'large', length: '2', unit: 'days' }), {
    ok: true,
    item: { kind: 'model', model: 'large' },
    seconds: 172_800,
  });
  assert.deepEqual(readPurchase({ ...EMPTY_PURCHASE, kind: 'gpu', lane: 'gpu-0', startsAt: '2026-11-23T10:00Z' }), {
    ok: true,
    item: { kind: 'gpu', lane: 'gpu-0', starts_at: '2026-11-23T10:00:00.000Z' },
    seconds: 3600,
  });
  assert.deepEqual(readPurchase({ ...EMPTY_PURCHASE, kind: 'priority', amount: 'x' }), {
    ok: true,
    item: { kind: 'priority' },
    seconds: 3600,
  });
});

test('an incomplete draft names the missing field', () => {
  const problem = (change: Partial<typeof EMPTY_PURCHASE>): string | null => {
    const reading = readPurchase({ ...EMPTY_PURCHASE, ...change });
    return reading.ok ? null : reading.problem;
  };
  assert.match(problem({ length: '8', unit: 'days' }) ?? '', /at most a week/);
  assert.match(problem({ length: '1.5' }) ?? '', /duration/);
  assert.match(problem({ amount: '0' }) ?? '', /amount/);
  assert.match(problem({ kind: 'model' }) ?? '', /model/);
  assert.match(problem({ kind: 'gpu' }) ?? '', /GPU/);
  assert.match(problem({ kind: 'gpu', lane: 'gpu-0', startsAt: 'soon' }) ?? '', /date and time/);
});

test('a stored draft is read again, without values of another version', () => {
  const draft = { ...EMPTY_PURCHASE, agent: 'bob', kind: 'gpu', lane: 'gpu-0', unit: 'days' } as const;
  assert.deepEqual(keptPurchase(JSON.stringify(draft)), draft);
  assert.deepEqual(keptPurchase('{"agent":"bob","kind":"bread","limit":"crumbs","unit":"moons","amount":7}'), {
    ...EMPTY_PURCHASE,
    agent: 'bob',
  });
  assert.deepEqual(keptPurchase(''), EMPTY_PURCHASE);
});
