import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContextProfile } from './profile.ts';
import { runStage, type ReadAnswer, type StageAnswer, type StageCall } from './run-stage.ts';
import { byBytes } from './text-piece.ts';

type Price = Readonly<{ price: number }>;

/** Reads JSON with a price, and asks once more with the exact fault. */
async function readPrice(call: StageCall): Promise<ReadAnswer<Price, string>> {
  let error: string | null = null;
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const value = JSON.parse(await call({ error })) as Partial<Price>;
    if (typeof value.price === 'number') return { ok: true, value: { price: value.price }, repair: `${attempt}` };
    error = 'price: expected a number';
  }
  return { ok: false, code: 'JSON_SCHEMA_MAJOR_MISMATCH', error: 'No answer fits.' };
}

async function staged(answers: readonly StageAnswer[], maxTokens = 1_000) {
  const prompts: string[] = [];
  let now = 0;
  const done = await runStage(
    {
      parts: {
        system: 'You are Ada.',
        task: 'What does rye cost?',
        decisions: [],
        items: [{ id: 'm1', source: 'memory', text: 'Rye costs 3.', importance: 1 }],
        schema: { type: 'object' },
      },
      profile: ContextProfile.parse({ max_tokens: maxTokens }),
      signal: new AbortController().signal,
    },
    {
      model: async ({ user }) => {
        now += 40;
        prompts.push(user);
        return answers[prompts.length - 1] ?? assert.fail('no answer is left');
      },
      read: readPrice,
      countTokens: byBytes(1),
      monotonic: () => now,
    },
  );
  return { ...done, prompts };
}

const USE = { promptTokens: 100, completionTokens: 5, moneyMicros: 7 };

test('a stage asks again with the exact fault, and adds up what its requests used', async () => {
  const answers = ['{"price":"3"}', '{"price":3}'].map((text): StageAnswer => ({ ok: true, text, ...USE }));
  const { result, attempts, use, latencyMs, context, prompts } = await staged(answers);
  assert.deepEqual(result, { ok: true, value: { price: 3 }, repair: '2' });
  assert.deepEqual([attempts, latencyMs], [2, 80]);
  assert.deepEqual(use, { promptTokens: 200, completionTokens: 10, moneyMicros: 14 });
  assert.doesNotMatch(prompts[0] ?? '', /Correct/);
  assert.match(prompts[1] ?? '', /# Correct your last answer\nprice: expected a number$/);
  assert.deepEqual(
    context.map(({ section, form }) => `${section} ${form}`),
    ['system whole', 'task whole', 'memory whole', 'schema whole', 'problem whole'],
  );
});

test('a failure of the model is the code of the stage', async () => {
  const { result, use } = await staged([{ ok: false, code: 'overloaded', ...USE }]);
  assert.deepEqual(result, { ok: false, code: 'overloaded', error: 'The model failed: overloaded.' });
  assert.equal(use.promptTokens, 100);
});

test('a budget that cannot hold the task is refused before the model is asked', async () => {
  const { result, attempts, prompts } = await staged([], 60);
  assert.equal(!result.ok && result.code, 'context_too_small');
  assert.deepEqual([attempts, prompts], [0, []]);
});
