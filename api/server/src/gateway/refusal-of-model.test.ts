import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODEL_ERROR_CODES } from '@hamlet/models';
import { openAiErrorOf, problemOf } from '../http/respond.ts';
import { loggedFailure, refusalOfModel } from './refusal-of-model.ts';

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

test('a failure of the provider names its class, its cause and who can mend it, without words of the provider', () => {
  const error = { code: 'unreachable', message: 'connect ECONNREFUSED 10.0.0.7:8000', provider: 'local' } as const;
  const sent = openAiErrorOf(problemOf(refusalOfModel(error, 'local'), 'r1'));
  assert.deepEqual([sent.code, sent.cause], ['model_failed', 'unreachable']);
  assert.equal(
    sent.message,
    'The provider local failed: no server answers at the address of the provider (unreachable). An admin of the village can mend it; the agent pays only for the tokens so far',
  );
});

test('a field that a provider lacks is refused by its name, and an overflow in the words that clients know', () => {
  const lacking = { code: 'bad_request', message: 'no top_p', provider: 'p', field: 'top_p' } as const;
  const refused = refusalOfModel(lacking, 'p');
  assert.deepEqual([refused.reason, refused.errors?.[0]?.path], ['unsupported_field', 'body.top_p']);
  const full = { code: 'context_too_long', message: 'n_ctx is 4096', provider: 'p' } as const;
  assert.match(refusalOfModel(full, 'p').detail ?? '', /^prompt is too long\. .*n_ctx is 4096/);
});
