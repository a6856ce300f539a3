import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { echo, outcomeOf, someJournals } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';
import { calls, fails, says, scriptedModel, type Step } from '../testing/scripted-model.ts';

const journals = someJournals();

test('a failed request is retried only if the model allows it, and an empty answer counts as a failure', async () => {
  const run = async (steps: readonly Step[]) => {
    const model = scriptedModel(steps);
    const clock = {
      ...SYSTEM_CLOCK,
      sleep: (ms: number, signal: AbortSignal) => SYSTEM_CLOCK.sleep(ms > 60_000 ? ms : ms / 1_000, signal),
    };
    const outcome = await outcomeOf(
      await anEngine({ journal: journals.open(), model, clock }).engine.start(aRequest()),
    );
    model.assertDone();
    return outcome.kind === 'failed' ? outcome.code : outcome.kind;
  };
  assert.equal(await run([fails('overloaded', true), says('Hello.')]), 'done');
  assert.equal(await run([fails('auth', false)]), 'model_auth');
  assert.equal(await run(Array.from({ length: 5 }, () => fails('rate', true))), 'model_rate');
  assert.equal(await run([says('  ')]), 'empty_answer');
});

test('four concurrent conversations share nothing', async () => {
  const journal = journals.open();
  const chat: Step = (request, signal) => says(`I know ${JSON.stringify(request.messages)}`)(request, signal);
  const model = { chat: (request: Parameters<Step>[0], signal: AbortSignal) => chat(request, signal) };
  const memory = { recall: async ({ conversation }: { conversation: string }) => [`recalled-${conversation}`] };
  const { engine } = anEngine({ journal, model, memory });
  const names = ['ann', 'ben', 'cat', 'dan'];
  for (let round = 0; round < 3; round += 1) {
    const outcomes = await Promise.all(
      names.map(async (name) =>
        outcomeOf(await engine.start(aRequest({ conversation: name, input: `I am ${name}, ${round}` }))),
      ),
    );
    for (const [index, outcome] of outcomes.entries()) {
      const text = outcome.kind === 'done' ? outcome.text : assert.fail(outcome.kind);
      for (const [other, name] of names.entries())
        assert.equal(text.includes(name), other === index, `${name} in ${names[index]}`);
      assert.ok(
        text.includes(`, ${round}`) && (round === 0 || text.includes(', 0')),
        'the request contains the history of this conversation',
      );
    }
  }
});

test('one conversation has one open run', async () => {
  const policy = { judge: () => ({ verdict: 'ask' as const, reason: '' }) };
  const model = scriptedModel([calls(['post', { text: 'x' }])]);
  const { engine } = anEngine({ journal: journals.open(), model, tools: [echo('post', 'once')], policy });
  await outcomeOf(await engine.start(aRequest()));
  assert.deepEqual(await engine.start(aRequest()), { ok: false, code: 'conversation_busy' });
});

test('recalled memory is only in the last message, and the cached half of the prompt stays identical', async () => {
  const journal = journals.open();
  const model = scriptedModel([says('One.'), says('Two.')]);
  const memory = { recall: async () => ['likes tea'] };
  const { engine } = anEngine({ journal, model, memory });
  for (const situation of ['It is noon.', 'It is night.'])
    await outcomeOf(await engine.start(aRequest({ prompt: { stable: 'You are Ada.', situation } })));
  const [first, second] = model.requests;
  assert.equal(first?.system.stable, second?.system.stable);
  assert.deepEqual(pluck(second?.messages.slice(0, 2) ?? [], 'content'), ['Hello', 'One.']);
  assert.match(second?.messages.at(-1)?.content ?? '', /likes tea/);
});
