import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODEL_ERROR_CODES } from '@hamlet/models';
import { loggedFailure } from './refusal-of-model.ts';

test('the log shows what a provider says about itself, and no words about the request or the answer', () => {
  const shown = MODEL_ERROR_CODES.filter((code) => {
    const logged = loggedFailure({ code, message: 'a secret plan', provider: 'p', status: 400 });
    assert.deepEqual([logged.code, logged.status], [code, 400]);
    return 'message' in logged;
  });
  assert.deepEqual(shown, [
    'auth',
    'forbidden',
    'no_such_model',
    'quota',
    'rate',
    'overloaded',
    'unreachable',
    'network',
  ]);
});
