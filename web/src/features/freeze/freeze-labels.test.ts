import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proofLines } from './freeze-labels.ts';

const TIMES = {
  since: '2026-11-23T10:00:00.000Z',
  last_transfer_at: '2026-11-23T09:59:30.000Z',
  last_model_request_at: null,
  last_run_started_at: '2026-11-23T10:00:02.000Z',
};

test('an activity that ended before the freeze confirms it, a later one does not', () => {
  const lines = proofLines(TIMES);
  assert.deepEqual(
    lines.map(({ key, holds }) => [key, holds]),
    [
      ['transfer', true],
      ['model', true],
      ['run', false],
    ],
  );
  assert.match(lines[0]?.when ?? '', /30 s before the freeze$/);
  assert.equal(lines[1]?.when, 'never');
  assert.match(lines[2]?.when ?? '', /2 s after the freeze$/);
});

test('without a freeze the labels show only times', () => {
  const lines = proofLines({ ...TIMES, since: null });
  assert.ok(lines.every(({ holds }) => holds));
  assert.doesNotMatch(lines[0]?.when ?? '', /freeze/);
});
