import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../command.ts';
import { freezeAct, freezeLines } from './freeze.ts';

test('a command line selects one action, and a freeze needs a reason', () => {
  assert.deepEqual(freezeAct({ names: ['status'], flags: {} }), { kind: 'status' });
  assert.deepEqual(freezeAct({ names: [], flags: { reason: 'a leak' } }), { kind: 'freeze', reason: 'a leak' });
  assert.deepEqual(freezeAct({ names: [], flags: { lift: true } }), { kind: 'lift' });
  assert.deepEqual(freezeAct({ names: [], flags: { lift: true, reason: 'mended' } }), {
    kind: 'lift',
    reason: 'mended',
  });
  for (const wrong of [
    { names: [], flags: {} },
    { names: [], flags: { reason: ' ' } },
    { names: ['everyone'], flags: {} },
    { names: ['status'], flags: { lift: true } },
  ]) {
    assert.throws(() => freezeAct(wrong), Failure);
  }
});

test('status shows whether the village is frozen, and the times of the last transfer, model request and run', () => {
  const last = { last_transfer_at: '2026-11-23T01:00:00.000Z', last_model_request_at: null, last_run_started_at: null };
  const frozen = {
    frozen: true,
    reason: 'a leak',
    by: { role: 'admin', id: 'key admin' },
    since: '2026-11-23T02:00:00.000Z',
    ...last,
  };
  assert.deepEqual(freezeLines(frozen), [
    'frozen since 2026-11-23T02:00:00.000Z by key admin: a leak',
    'last transfer       2026-11-23T01:00:00.000Z',
    'last model request  never',
    'last run started    never',
  ]);
  assert.equal(freezeLines({ ...frozen, frozen: false, reason: null, by: null, since: null })[0], 'not frozen');
});
