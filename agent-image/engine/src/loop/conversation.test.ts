import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { aTool, echo, outcomeOf, someJournals } from '../testing/a-tool.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { anEngine, aRequest, IDLE_CLOCK } from '../testing/an-engine.ts';
import type { RunOutcome } from './advance.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';
import {
  answers,
  calls,
  fails,
  hangs,
  says,
  scriptedModel,
  type ScriptedModel,
  type Step,
} from '../testing/scripted-model.ts';

const journals = someJournals();

const quick = {
  ...SYSTEM_CLOCK,
  sleep: (ms: number, signal: AbortSignal) => SYSTEM_CLOCK.sleep(ms > 60_000 ? ms : ms / 1_000, signal),
};

async function ran(steps: readonly Step[]): Promise<readonly [RunOutcome, ScriptedModel]> {
  const model = scriptedModel(steps);
  const { engine } = anEngine({ journal: journals.open(), model, clock: quick, tools: [echo('look', 'read')] });
  const outcome = await outcomeOf(await engine.start(aRequest()));
  model.assertDone();
  return [outcome, model];
}

test('a failed request is retried only if the model allows it', async () => {
  assert.equal((await ran([fails('overloaded', true), says('Hello.')]))[0].kind, 'done');
  const [refused] = await ran([fails('auth', false)]);
  assert.deepEqual(refused, { kind: 'failed', code: 'model_auth', text: '', unsettled: [] });
  const [broken] = await ran(Array.from({ length: 5 }, () => fails('bad_answer', true)));
  assert.equal(broken.kind === 'failed' && broken.code, 'model_bad_answer');
});

test('after an empty answer, one of thought alone or a call written as text, the engine asks again without an empty message', async () => {
  const thought = answers({ reasoning: [{ text: 'Hm.', sealed: null }] });
  const [outcome, model] = await ran([calls(['look', { text: 'x' }]), says('  '), thought, says('Done.')]);
  assert.deepEqual(outcome, { kind: 'done', text: 'Done.' });
  const last = model.requests.at(-1)?.messages ?? [];
  assert.deepEqual(pluck(last, 'role'), ['user', 'assistant', 'tool']);
  assert.match(last.at(-1)?.content ?? '', /^look: x\n\nYour last answer was empty, or [^\n]*$/);
  const written = says('<tool_call>{"name": "look", "arguments": {"text": "x"}}</tool_call>');
  assert.deepEqual((await ran([written, says('Done.')]))[0], { kind: 'done', text: 'Done.' });
  const [failed] = await ran([says(''), says(''), says('')]);
  assert.equal(failed.kind === 'failed' && failed.code, 'empty_answer');
});

const QUOTE = 'The page has this:\n```json\n{"name": "look", "arguments": {"text": "x"}}\n```';

test('words that end with a call are asked again twice; a model that insists quotes it, and they are its answer', async () => {
  const [outcome, model] = await ran([says(QUOTE), says(QUOTE), says(QUOTE)]);
  assert.deepEqual(outcome, { kind: 'done', text: QUOTE });
  assert.match(model.requests.at(-1)?.messages.at(-1)?.content ?? '', /ended with a call written as text/);
  assert.deepEqual((await ran([says(QUOTE), calls(['look', { text: 'x' }]), says('Done.')]))[0], {
    kind: 'done',
    text: 'Done.',
  });
});

test('a part of a text that was cut may end with a call', async () => {
  const [outcome] = await ran([answers({ content: 'One, two. ', finish: 'length' }), says(QUOTE)]);
  assert.deepEqual(outcome, { kind: 'done', text: `One, two. ${QUOTE}` });
});

test('a text that reaches the limit of tokens is continued, and its parts are one answer', async () => {
  const part = (content: string) => answers({ content, finish: 'length' });
  const [outcome, model] = await ran([part('One, tw'), part('o, thr'), says('ee.')]);
  assert.deepEqual(outcome, { kind: 'done', text: 'One, two, three.' });
  assert.deepEqual(pluck(model.requests[2]?.messages ?? [], 'role'), [
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
  ]);
  assert.match(model.requests[1]?.messages.at(-1)?.content ?? '', /Continue exactly where it stops/);
  const [cut] = await ran(Array.from({ length: 6 }, () => part('x')));
  assert.deepEqual(cut, { kind: 'failed', code: 'answer_cut', text: 'xxxxxx', unsettled: [] });
});

test('a call that the limit of tokens cuts gets a result that asks for less in one call', async () => {
  const cut = (text: string) => answers({ finish: 'length', toolCalls: [{ id: 'c1', name: 'look', arguments: text }] });
  const [outcome, model] = await ran([cut('{"text":"a'), cut(''), cut('{"text":"b"}'), says('Done.')]);
  assert.equal(outcome.kind, 'done');
  const results = model.requests.at(-1)?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
  assert.match(results?.[0] ?? '', /arguments_cut.*less in one call/);
  assert.match(results?.[1] ?? '', /arguments_cut/);
  assert.equal(results?.[2], 'look: b');
});

test("the model's thought is kept with its answer and sent back", async () => {
  const reasoning = [{ text: 'It is dark.', sealed: 'seal' }];
  const toolCalls = [{ id: 'c1', name: 'look', arguments: '{"text":"x"}' }];
  const [, model] = await ran([answers({ reasoning, toolCalls }), says('Done.')]);
  const said = model.requests[1]?.messages[1];
  assert.deepEqual(said?.role === 'assistant' && said.reasoning, reasoning);
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

test('a new run of a conversation closes the open one, which was ended without the engine', async () => {
  const policy = { judge: () => ({ verdict: 'ask' as const, reason: '' }) };
  const model = scriptedModel([calls(['post', { text: 'x' }]), says('Fine.'), says('Still here.')]);
  const path = journals.path();
  const tools = [echo('post', 'once')];
  const first = openSqliteJournal(path);
  const one = anEngine({ journal: first, model, tools, policy });
  assert.equal((await outcomeOf(await one.engine.start(aRequest({ run: 'r1' })))).kind, 'waiting');
  assert.deepEqual(one.engine.openRuns(), ['r1']);
  assert.deepEqual(await outcomeOf(await one.engine.start(aRequest({ run: 'r2' }))), { kind: 'done', text: 'Fine.' });
  assert.deepEqual(one.engine.outcomeOf('r1'), { kind: 'cancelled', unsettled: [] });
  const roles = pluck(model.requests[1]?.messages ?? [], 'role');
  assert.deepEqual(roles, ['user', 'assistant', 'tool', 'assistant', 'user'], 'strict templates want turns');
  first.close();
  const second = openSqliteJournal(path);
  const { engine } = anEngine({ journal: second, model, tools, policy });
  assert.deepEqual(engine.openRuns(), []);
  assert.equal((await outcomeOf(await engine.start(aRequest({ run: 'r3' })))).kind, 'done');
});

test('a run that was ended in the middle of a request does not block its conversation', async () => {
  const model = scriptedModel([hangs(), says('Fine.')]);
  const { engine } = anEngine({ journal: journals.open(), model, limits: { cancelGraceMs: 20 }, clock: IDLE_CLOCK });
  const begun = await engine.start(aRequest({ run: 'r1' }));
  while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await outcomeOf(await engine.start(aRequest({ run: 'r2' })))).kind, 'done');
  assert.equal((await outcomeOf(begun)).kind, 'cancelled');
});

test('after a run that was ended during a call the model reads that the call may be done in part', async () => {
  const begun = Promise.withResolvers<void>();
  const post = aTool({ name: 'post', effect: 'once' }, () => {
    begun.resolve();
    return new Promise(() => {});
  });
  const model = scriptedModel([calls(['post', { text: 'x' }]), says('Fine.')]);
  const limits = { cancelGraceMs: 20 };
  const { engine } = anEngine({ journal: journals.open(), model, limits, tools: [post], clock: IDLE_CLOCK });
  await engine.start(aRequest({ run: 'r1' }));
  await begun.promise;
  assert.equal((await outcomeOf(engine.cancel('r1'))).kind, 'cancelled');
  assert.equal((await outcomeOf(await engine.start(aRequest({ run: 'r2' })))).kind, 'done');
  const result = model.requests[1]?.messages.find(({ role }) => role === 'tool');
  assert.match(String(result?.content), /all or a part\. Look at what is there before you repeat it/);
});

test('recalled memory and the situation are only in the last message, so all that stands before them can be cached', async () => {
  const journal = journals.open();
  const model = scriptedModel([says('One.'), says('Two.')]);
  const memory = { recall: async () => ['likes tea'] };
  const { engine } = anEngine({ journal, model, memory });
  for (const situation of ['It is noon.', 'It is night.'])
    await outcomeOf(await engine.start(aRequest({ prompt: { stable: 'You are Ada.', situation } })));
  const [first, second] = model.requests;
  assert.deepEqual(first?.system, { stable: 'You are Ada.', situation: '' });
  assert.deepEqual(first?.system, second?.system);
  assert.deepEqual(pluck(second?.messages ?? [], 'content'), [
    'Hello',
    'One.',
    'Hello\n\n[Situation]\nIt is night.\n\n[From memory]\nlikes tea',
  ]);
});
