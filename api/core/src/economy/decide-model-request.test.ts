import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideModelRequest } from './decide-model-request.ts';

const ROOM = { inFlight: 1, inFlightMax: 2, used: 60, quota: 100 };

test('a request is admitted while fewer than the maximum are in flight and all its tokens fit into the hour', () => {
  assert.deepEqual(decideModelRequest(ROOM, 40), { ok: true });
  assert.deepEqual(decideModelRequest(ROOM, 41), { ok: false, reason: 'token_quota_exhausted' });
  assert.deepEqual(decideModelRequest({ ...ROOM, inFlight: 2 }, 41), { ok: false, reason: 'too_many_in_flight' });
  assert.deepEqual(decideModelRequest({ ...ROOM, inFlight: 3 }, 1), { ok: false, reason: 'too_many_in_flight' });
});
