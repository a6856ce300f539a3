import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { attemptWithRetries, type JsonAttempt } from './attempt-with-retries.ts';

const Answer = z.strictObject({ price: z.int() });

/** Gives the answers in their order, and notes what the model was asked. */
function scripted(answers: readonly string[]) {
  const asked: (string | null)[] = [];
  const attempts: JsonAttempt[] = [];
  return {
    asked,
    strategies: () => attempts.map(({ strategy, code }) => [strategy, code]),
    policy: (most: number) => ({ attempts: most, onAttempt: (each: JsonAttempt) => void attempts.push(each) }),
    call: async ({ error }: { readonly error: string | null }): Promise<string> => {
      asked.push(error);
      return answers[asked.length - 1] ?? assert.fail('there is no answer left');
    },
  };
}

test('a wrong answer is repaired, else asked for again with the exact error', async () => {
  const model = scripted(['I think it costs 3.', '{"price": "much"}', '{"price": "3",}']);
  const read = await attemptWithRetries(model.call, Answer, model.policy(3));
  assert.deepEqual(read.ok && [read.value, read.attempts], [{ price: 3 }, 3]);
  assert.deepEqual(model.strategies(), [
    ['ask_again', 'JSON_SYNTAX_ERROR'],
    ['ask_again', 'JSON_SCHEMA_MINOR_MISMATCH'],
    ['repair', 'JSON_SYNTAX_ERROR'],
  ]);
  assert.equal(model.asked[0], null);
  assert.match(model.asked[1] ?? '', /JSON_SYNTAX_ERROR.*there is no JSON document/);
  assert.match(model.asked[2] ?? '', /JSON_SCHEMA_MINOR_MISMATCH.*price: .*expected number, received string/);
});

test('after the last attempt the refusal has its code; more than five are never made', async () => {
  const model = scripted(Array.from({ length: 9 }, () => '{}'));
  const read = await attemptWithRetries(model.call, Answer, model.policy(9));
  assert.deepEqual([read.ok || read.code, read.attempts], ['JSON_SCHEMA_MAJOR_MISMATCH', 5]);
  assert.deepEqual(model.strategies().at(-1), ['give_up', 'JSON_SCHEMA_MAJOR_MISMATCH']);
  const good = scripted(['{"price":1}']);
  assert.equal((await attemptWithRetries(good.call, Answer, good.policy(0))).ok, true);
  assert.deepEqual(good.strategies(), [['none', null]]);
});
