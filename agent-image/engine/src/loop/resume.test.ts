/** A run leaves an engine and comes back: after a lost lease, after answers from people, and after a demand for a permission. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { z } from 'zod';
import { defineTool } from '../effects/tool.ts';
import { aTool, echo, outcomeOf, someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { calls, says, scriptedModel } from '../testing/scripted-model.ts';

const journals = someJournals();

test('a released run continues in the same engine, and ignores a late result of its old attempt', async () => {
  const late = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const keys: string[] = [];
  const post = aTool({ name: 'post', effect: 'keyed' }, async (_input, { key, attempt }) => {
    keys.push(key);
    began.resolve();
    if (attempt === 1) await late.promise;
    return { kind: 'ok', text: `attempt ${attempt}` };
  });
  const journal = journals.open();
  const model = scriptedModel([calls(['post', { text: 'x' }]), says('Done.')]);
  const { engine } = anEngine({ journal, model, tools: [post], limits: { interruptGraceMs: 20 } });
  const begun = await engine.start(aRequest({ run: 'r1' }));
  await began.promise;
  await engine.release('r1', 'now');
  assert.deepEqual(await outcomeOf(begun), { kind: 'waiting', for: 'engine' });
  assert.equal(engine.active(), 0);
  const resumed = engine.resume('r1');
  late.resolve();
  assert.deepEqual(await outcomeOf(resumed), { kind: 'done', text: 'Done.' });
  assert.equal(keys.length, 2);
  assert.equal(new Set(keys).size, 1, 'the second attempt uses the key of the first');
  assert.equal(model.requests[1]?.messages.at(-1)?.content, 'attempt 2');
  assert.equal(typesOf(journal, 'r1').filter((type) => type === 'tool_settled').length, 1);
  assert.equal(engine.spentOf('r1')?.steps, 2);
  assert.equal(engine.spentOf('none'), null);
});

test('answers that arrived in between count once, before the run continues', async () => {
  const journal = journals.open();
  const model = scriptedModel([calls(['post', { text: 'a' }], ['post', { text: 'b' }]), says('Done.')]);
  const policy = { judge: () => ({ verdict: 'ask' as const, reason: '' }) };
  const { engine, questions } = anEngine({ journal, model, tools: [echo('post', 'keyed')], policy });
  await outcomeOf(await engine.start(aRequest({ run: 'r1' })));
  const answers = [{ request: 'r1/1.0/1', answer: 'allow' as const }];
  assert.equal((await outcomeOf(engine.resume('r1', { answers }))).kind, 'waiting');
  assert.deepEqual(pluck(questions, 'request'), ['r1/1.0/1', 'r1/1.1/1'], 'an answered question is not shown again');
  const rest = [...answers, { request: 'r1/1.1/1', answer: 'deny' as const }];
  assert.equal((await outcomeOf(engine.resume('r1', { answers: rest }))).kind, 'done');
  const results = model.requests[1]?.messages.slice(-2).map(({ content }) => content) ?? [];
  assert.equal(results[0], 'post: a');
  assert.match(results[1] ?? '', /denied \(person\)/);
});

test('a call that turns out to need a permission asks a person, and runs again with the same key', async () => {
  const keys: string[] = [];
  const post = aTool({ name: 'post', effect: 'keyed' }, async (_input, { key }) => {
    keys.push(key);
    return keys.length < 3
      ? { kind: 'needs_permission', reason: 'the policy changed' }
      : { kind: 'ok', text: 'posted' };
  });
  const model = scriptedModel([calls(['post', { text: 'x' }]), says('Done.')]);
  const { engine, questions } = anEngine({ journal: journals.open(), model, tools: [post] });
  let outcome = await outcomeOf(await engine.start(aRequest({ run: 'r1' })));
  for (let asked = 1; outcome.kind === 'waiting' && asked <= 2; asked += 1) {
    assert.equal(questions.length, asked);
    outcome = await outcomeOf(engine.answer('r1', { request: questions.at(-1)?.request ?? '', answer: 'allow' }));
  }
  assert.deepEqual(outcome, { kind: 'done', text: 'Done.' });
  assert.deepEqual(
    questions.map(({ request, why }) => `${request} ${why}`),
    ['r1/1.0/1 policy', 'r1/1.0/2 policy'],
  );
  assert.equal(new Set(keys).size, 1);
});

test('a verify call may also demand a permission, and runs after a person gives it', async () => {
  let attempts = 0;
  const shell = defineTool({
    name: 'shell',
    description: 'shell',
    input: z.strictObject({ text: z.string() }),
    effect: 'verify',
    timeoutMs: 5_000,
    verify: async () => ({ kind: 'unknown' }),
    execute: async () => {
      attempts += 1;
      return attempts < 2 ? { kind: 'needs_permission', reason: 'it publishes' } : { kind: 'ok', text: 'pushed' };
    },
  });
  const model = scriptedModel([calls(['shell', { text: 'git push' }]), says('Done.')]);
  const { engine, questions } = anEngine({ journal: journals.open(), model, tools: [shell] });
  assert.equal((await outcomeOf(await engine.start(aRequest({ run: 'r1' })))).kind, 'waiting');
  assert.deepEqual(await outcomeOf(engine.answer('r1', { request: questions[0]?.request ?? '', answer: 'allow' })), {
    kind: 'done',
    text: 'Done.',
  });
  assert.deepEqual([attempts, questions.length], [2, 1]);
});

test('a call that demands a permission every time ends as denied; a once call is never attempted again', async () => {
  const asking = (effect: 'keyed' | 'once') =>
    aTool({ name: effect, effect }, async () => ({ kind: 'needs_permission', reason: 'never enough' }));
  const model = scriptedModel([calls(['once', { text: 'x' }], ['keyed', { text: 'x' }]), says('Done.')]);
  const { engine, questions } = anEngine({ journal: journals.open(), model, tools: [asking('once'), asking('keyed')] });
  let outcome = await outcomeOf(await engine.start(aRequest({ run: 'r1' })));
  for (let asked = 0; outcome.kind === 'waiting' && asked < 20; asked += 1)
    outcome = await outcomeOf(engine.answer('r1', { request: questions.at(-1)?.request ?? '', answer: 'allow' }));
  assert.equal(outcome.kind, 'done');
  assert.equal(questions.length, 5);
  for (const { content } of model.requests[1]?.messages.slice(-2) ?? []) assert.match(content, /never enough/);
});
