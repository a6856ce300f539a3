import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODEL_ERROR_CODES, MODEL_ERRORS } from '../chat/model-error.ts';
import { decideNext, type FailedTry } from './decide-next.ts';

const POLICY = { attempts: 3, firstDelayMs: 100, maxDelayMs: 1_000 };
const failed = (
  changes: Partial<FailedTry> & { readonly code?: FailedTry['error']['code']; readonly wait?: number },
) => {
  const { code = 'overloaded', wait, ...rest } = changes;
  const error = { code, message: '', provider: 'p', ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  return decideNext(
    {
      error,
      attempt: 1,
      isLastTarget: true,
      isVisible: false,
      fallbackOn: ['quota', 'overloaded'],
      chance: 0,
      ...rest,
    },
    POLICY,
  );
};

test('only retryable codes are retried, and only before a visible token', () => {
  for (const code of MODEL_ERROR_CODES) {
    assert.equal(failed({ code }).do, MODEL_ERRORS[code].retry ? 'again' : 'stop', code);
    assert.equal(failed({ code, isVisible: true, isLastTarget: false }).do, 'stop', code);
  }
  assert.deepEqual(
    MODEL_ERROR_CODES.filter((code) => MODEL_ERRORS[code].retry),
    ['rate', 'overloaded', 'unreachable', 'network'],
  );
});

test('the wait doubles, has jitter, and is at least as long as the provider requests', () => {
  assert.deepEqual(failed({ chance: 0 }), { do: 'again', delayMs: 50 });
  assert.deepEqual(failed({ chance: 1, attempt: 2 }), { do: 'again', delayMs: 200 });
  assert.deepEqual(failed({ code: 'rate', wait: 700 }), { do: 'again', delayMs: 700 });
});

test('if the wait is too long, the request goes to the next target or fails', () => {
  assert.equal(failed({ code: 'overloaded', wait: 60_000, isLastTarget: false }).do, 'next');
  assert.equal(failed({ code: 'rate', wait: 60_000 }).do, 'stop');
});

test('after the last attempt the request goes to the next target if the route allows it', () => {
  assert.equal(failed({ attempt: 3, isLastTarget: false }).do, 'next');
  assert.equal(failed({ attempt: 3 }).do, 'stop');
  assert.equal(failed({ code: 'quota', isLastTarget: false }).do, 'next');
  assert.equal(failed({ code: 'bad_request', isLastTarget: false }).do, 'stop');
  assert.equal(failed({ code: 'cancelled', isLastTarget: false, fallbackOn: ['cancelled'] }).do, 'stop');
});
