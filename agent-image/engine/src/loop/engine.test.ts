import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineTool, type CallContext } from '../effects/tool.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { Effect } from '../journal/event.ts';
import type { Journal } from '../journal/journal.ts';
import { aTool, echo, outcomeOf, someJournals, Text, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRequest } from '../testing/an-engine.ts';
import { answers, calls, says, scriptedModel } from '../testing/scripted-model.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';

const journals = someJournals();

type Execute = (input: { text: string }, context: CallContext) => Promise<ToolOutcome>;

test('a run asks the model, calls a tool, asks again and answers; the journal has each step before the next begins', async () => {
  const journal = journals.open();
  const model = scriptedModel([calls(['look', { text: 'here' }]), says('I see a café.')]);
  const { engine, notices } = anEngine({ journal, model, tools: [echo('look', 'read')] });
  const begun = await engine.start(aRequest());
  assert.deepEqual(await outcomeOf(begun), { kind: 'done', text: 'I see a café.' });
  model.assertDone();
  assert.deepEqual(typesOf(journal, begun.ok ? begun.run : ''), [
    'run_opened',
    'stage_opened',
    'context_built',
    'model_asked',
    'model_answered',
    'tool_intent',
    'tool_settled',
    'model_asked',
    'model_answered',
    'stage_closed',
    'run_closed',
  ]);
  const words = notices.flatMap((notice) => (notice.type === 'delta' ? [notice.text] : []));
  assert.equal(words.join(''), 'I see a café.');
  assert.deepEqual(model.requests[1]?.messages.at(-1), {
    role: 'tool',
    callId: 'call_0',
    content: 'look: here',
    outcome: 'ok',
  });
  assert.equal(engine.active(), 0);
});

test('an answer that the engine refuses costs the run what it used', async () => {
  const twice = { id: 'a', name: 'look', arguments: '{}' };
  const usage = { prompt: 900, completion: 90, total: 990 };
  const long = { content: 'x'.repeat(1_000_001), usage, moneyMicros: 70 };
  const clock = { ...SYSTEM_CLOCK, sleep: async () => {} };
  const bad = answers({ toolCalls: [twice, twice], usage, moneyMicros: 70 });
  const model = scriptedModel([bad, answers(long), says('Done.')]);
  const { engine } = anEngine({ journal: journals.open(), model, tools: [echo('look', 'read')], clock });
  const begun = await engine.start(aRequest({ run: 'r1' }));
  assert.equal((await outcomeOf(begun)).kind, 'done');
  assert.partialDeepStrictEqual(engine.spentOf('r1'), { tokens: 2 * 990 + 15, moneyMicros: 2 * 70 + 1 });
});

test('as many calls as an answer may have fit into the journal, also with the longest ids and names', async () => {
  const toolCalls = Array.from({ length: 64 }, (_, index) => ({
    id: `${index}`.padStart(200, '\u0001'),
    name: '\u0001'.repeat(200),
    arguments: `{"n":${index}}`,
  }));
  const model = scriptedModel([answers({ toolCalls }), says('Done.')]);
  const { engine } = anEngine({ journal: journals.open(), model });
  assert.deepEqual(await outcomeOf(await engine.start(aRequest())), { kind: 'done', text: 'Done.' });
});

test('the model reads about a wrong argument, an unknown tool and broken JSON, and corrects them', async () => {
  const model = scriptedModel([
    calls(['look', { text: [7] }], ['look', { words: 'x' }], ['teleport', {}], ['look', '{"text":']),
    calls(['look', { text: 'here' }]),
    says('Done.'),
  ]);
  const { engine } = anEngine({ journal: journals.open(), model, tools: [echo('look', 'read')] });
  assert.equal((await outcomeOf(await engine.start(aRequest()))).kind, 'done');
  const results = model.requests[1]?.messages.slice(-4).map(({ content }) => content) ?? [];
  assert.match(results[0] ?? '', /arguments are wrong[\s\S]*- text: .*expected string/);
  assert.ok(!results[0]?.includes('the arguments are'));
  assert.match(
    results[1] ?? '',
    /- text: it is missing \(string\)[\s\S]*"words"[\s\S]*- \(arguments\): the arguments are text$/,
  );
  assert.match(results[2] ?? '', /no_such_tool.*Known: look/);
  assert.match(results[3] ?? '', /one JSON object/);
});

test('arguments keep the digits of long integers, and values written as text become what the schema wants', async () => {
  const seen: unknown[] = [];
  const book = defineTool({
    name: 'book',
    description: 'book',
    input: z.strictObject({ id: z.string(), list: z.array(z.int()).optional(), count: z.int().optional() }),
    effect: 'read',
    timeoutMs: 5_000,
    execute: async (input, { args }) => {
      seen.push(input, args);
      return { kind: 'ok', text: 'booked' };
    },
  });
  const model = scriptedModel([
    calls(
      ['book', '{"id":2512292042121000001,"list":"[1,2]","count":"7"}'],
      ['book', '{"id":"x","count":2512292042121000001}'],
      ['book', '{"list":"[1]"}'],
    ),
    says('Done.'),
  ]);
  await outcomeOf(await anEngine({ journal: journals.open(), model, tools: [book] }).engine.start(aRequest()));
  const id = '2512292042121000001';
  assert.deepEqual(seen, [{ id, list: [1, 2], count: 7 }, `{"count":7,"id":"${id}","list":[1,2]}`]);
  const [, said, , refused, lacking] = model.requests[1]?.messages ?? [];
  assert.match(
    JSON.stringify(said),
    /2512292042121000001[^"0-9]/,
    'the history has the arguments as the model wrote them',
  );
  assert.match(refused?.content ?? '', /- count: .*expected number, received string/);
  assert.match(lacking?.content ?? '', /\n- id: it is missing \(string\)$/, 'the list is no fault');
});

test('arguments that are almost JSON cost no request: all see them repaired, and the journal says how', async () => {
  const journal = journals.open();
  const model = scriptedModel([
    calls(['look', "{'text': 'here',}"], ['look', '```json\n{"text": 7}\n```'], ['look', '{"text": NaN}']),
    answers({ finish: 'length', toolCalls: [{ id: 'last', name: 'look', arguments: '{"text": "half a' }] }),
    answers({ finish: 'length', toolCalls: [{ id: 'last', name: 'look', arguments: '{"text": "here"' }] }),
    says('Done.'),
  ]);
  const seen: string[] = [];
  const policy = {
    judge: ({ arguments: text }: { readonly arguments: string }) => {
      seen.push(text);
      return { verdict: 'allow', reason: '' } as const;
    },
  };
  const { engine } = anEngine({ journal, model, tools: [echo('look', 'read')], policy });
  assert.equal((await outcomeOf(await engine.start(aRequest({ run: 'r1' })))).kind, 'done');
  assert.deepEqual(seen, ['{"text":"here"}', '{"text":"7"}']);
  const [said, , , refused] = model.requests[1]?.messages.slice(-4) ?? [];
  assert.match(JSON.stringify(said), /"arguments":"\{\\"text\\":\\"here\\"\}"/);
  assert.match(refused?.content ?? '', /NaN is not a value of JSON at line 1, column 10/);
  for (const request of model.requests.slice(2)) assert.match(request.messages.at(-1)?.content ?? '', /arguments_cut/);
  const found = journal.eventsOf('r1');
  assert.ok(found.ok);
  const repairs = found.events.flatMap((event) => (event.type === 'model_answered' ? event.calls : []));
  assert.deepEqual(
    repairs.map(({ repair }) => repair?.join()),
    [
      'quotes_replaced,commas_removed',
      'taken_from_text,taken_from_fence,number_to_text',
      undefined,
      undefined,
      undefined,
    ],
  );
});

test('a call with another name of an argument runs, and all see the name of the tool', async () => {
  const model = scriptedModel([calls(['look', { words: 'here' }]), says('Done.')]);
  const look = { ...echo('look', 'read'), aliases: { words: 'text' } };
  await outcomeOf(await anEngine({ journal: journals.open(), model, tools: [look] }).engine.start(aRequest()));
  const [said, answer] = model.requests[1]?.messages.slice(-2) ?? [];
  assert.match(JSON.stringify(said), /"arguments":"\{\\"text\\":\\"here\\"\}"/);
  assert.equal(answer?.content, 'look: here');
});

test('reads of one answer run in parallel, writes one after another', async () => {
  let [now, most] = [0, 0];
  const order: string[] = [];
  const counting: Execute = async ({ text }) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(text);
    now -= 1;
    return { kind: 'ok', text };
  };
  const tools = [aTool({ name: 'read', effect: 'read' }, counting), aTool({ name: 'write', effect: 'once' }, counting)];
  const run = async (...list: readonly string[]): Promise<number> => {
    most = 0;
    const model = scriptedModel([
      calls(...list.map((name, index) => [name, { text: `${index}` }] as const)),
      says('Done.'),
    ]);
    await outcomeOf(await anEngine({ journal: journals.open(), model, tools }).engine.start(aRequest()));
    return most;
  };
  assert.equal(await run('read', 'read', 'read'), 3);
  order.length = 0;
  assert.equal(await run('write', 'write', 'read'), 1);
  assert.deepEqual(order, ['0', '1', '2']);
});

test('a run that waits for a person is not in memory; the answer continues it', async () => {
  for (const [answer, expected] of [
    ['allow', /^post: x$/],
    ['deny', /denied \(person\)/],
    ['expired', /denied \(permission_expired\)/],
  ] as const) {
    const model = scriptedModel([calls(['post', { text: 'x' }]), says('Done.')]);
    const policy = { judge: () => ({ verdict: 'ask' as const, reason: 'a post' }) };
    const { engine, questions } = anEngine({ journal: journals.open(), model, tools: [echo('post', 'once')], policy });
    const begun = await engine.start(aRequest());
    const waiting = await outcomeOf(begun);
    assert.ok(waiting.kind === 'waiting' && waiting.for === 'permission');
    assert.equal(engine.active(), 0);
    const [question] = questions;
    assert.deepEqual([question?.arguments, question?.why], ['{"text":"x"}', 'policy']);
    const run = begun.ok ? begun.run : '';
    assert.deepEqual(engine.answer(run, { request: 'another question', answer: 'allow' }), {
      ok: false,
      code: 'no_such_request',
    });
    const answered = engine.answer(run, { request: question?.request ?? '', answer });
    assert.equal((await outcomeOf(answered)).kind, 'done');
    assert.equal(
      engine.answer(run, { request: question?.request ?? '', answer: 'allow' }).ok,
      false,
      'an answer counts once',
    );
    assert.match(model.requests[1]?.messages.at(-1)?.content ?? '', expected);
  }
});

test("a denial by the policy overrides a person's permission", async () => {
  let verdict: 'ask' | 'deny' = 'ask';
  let ran = false;
  const post = aTool({ name: 'post', effect: 'once' }, async () => {
    ran = true;
    return { kind: 'ok', text: '' };
  });
  const model = scriptedModel([calls(['post', { text: 'x' }]), says('Done.')]);
  const policy = { judge: () => ({ verdict, reason: 'quarantined' }) };
  const { engine, questions } = anEngine({ journal: journals.open(), model, tools: [post], policy });
  const begun = await engine.start(aRequest());
  await outcomeOf(begun);
  verdict = 'deny';
  await outcomeOf(engine.answer(begun.ok ? begun.run : '', { request: questions[0]?.request ?? '', answer: 'allow' }));
  assert.equal(ran, false);
  assert.match(model.requests[1]?.messages.at(-1)?.content ?? '', /denied \(policy\)\. quarantined/);
});

test('an attempt that times out or throws counts as unknown, as after a crash; the effect decides what follows', async () => {
  const attempts: Record<string, string[]> = {};
  const broken = (name: string, effect: Exclude<Effect, 'verify'>) =>
    aTool({ name, effect }, async (_input, { key }) => {
      (attempts[name] ??= []).push(key);
      if (name === 'keyed' && attempts[name].length === 2) return { kind: 'ok', text: 'second attempt' };
      throw new Error('the cause');
    });
  const tools = [broken('read', 'read'), broken('keyed', 'keyed'), broken('once', 'once')];
  const model = scriptedModel([
    calls(['read', { text: 'x' }], ['keyed', { text: 'x' }], ['once', { text: 'x' }]),
    says('Done.'),
  ]);
  const { engine, questions } = anEngine({ journal: journals.open(), model, tools });
  const begun = await engine.start(aRequest());
  assert.equal((await outcomeOf(begun)).kind, 'waiting');
  assert.equal(questions[0]?.why, 'unknown');
  await outcomeOf(
    engine.answer(begun.ok ? begun.run : '', { request: questions[0]?.request ?? '', answer: 'expired' }),
  );
  assert.deepEqual([attempts['read']?.length, attempts['keyed']?.length, attempts['once']?.length], [1, 2, 1]);
  assert.equal(new Set(attempts['keyed']).size, 1, 'a keyed call keeps its key');
  const results = model.requests[1]?.messages.slice(-3).map(({ content }) => content) ?? [];
  assert.match(results[0] ?? '', /failed \(tool_error\).*the cause/);
  assert.equal(results[1], 'second attempt');
  assert.match(results[2] ?? '', /may have happened/);
});

test('a verify call checks its effect before it runs again', async () => {
  const world = new Set<string>();
  let attempts = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'pay',
    input: Text,
    effect: 'verify',
    timeoutMs: 5_000,
    execute: async ({ text }, { attempt }) => {
      attempts += 1;
      if (text === 'paid' || attempt === 2) world.add(text);
      if (attempt === 1) throw new Error('the connection is lost');
      return { kind: 'ok', text: 'paid now' };
    },
    verify: async ({ text }) => {
      if (text === 'dark') return { kind: 'unknown' };
      return world.has(text) ? { kind: 'done', outcome: { kind: 'ok', text: 'was paid' } } : { kind: 'not_done' };
    },
  });
  const model = scriptedModel([
    calls(['pay', { text: 'paid' }], ['pay', { text: 'open' }], ['pay', { text: 'dark' }]),
    says('Done.'),
  ]);
  const { engine, questions } = anEngine({ journal: journals.open(), model, tools: [pay] });
  const begun = await engine.start(aRequest());
  await outcomeOf(begun);
  await outcomeOf(
    engine.answer(begun.ok ? begun.run : '', { request: questions[0]?.request ?? '', answer: 'happened' }),
  );
  assert.equal(attempts, 4);
  const results = model.requests[1]?.messages.slice(-3).map(({ content }) => content) ?? [];
  assert.deepEqual(results.slice(0, 2), ['was paid', 'paid now']);
  assert.match(results[2] ?? '', /A person confirmed/);
});

test('arguments that differ from the journal end the run as diverged', async () => {
  const journal = journals.open();
  const model = scriptedModel([calls(['post', { text: 'x' }])]);
  const policy = { judge: () => ({ verdict: 'ask' as const, reason: '' }) };
  let tampered = false;
  const forged: Journal = {
    ...journal,
    textOf: (ref) => {
      const text = journal.textOf(ref);
      return tampered ? (text?.replace('\\"x\\"', '\\"y\\"') ?? null) : text;
    },
  };
  const { engine, questions } = anEngine({ journal: forged, model, tools: [echo('post', 'once')], policy });
  const begun = await engine.start(aRequest());
  await outcomeOf(begun);
  tampered = true;
  const outcome = await outcomeOf(
    engine.answer(begun.ok ? begun.run : '', { request: questions[0]?.request ?? '', answer: 'allow' }),
  );
  assert.deepEqual(outcome, { kind: 'failed', code: 'diverged', text: '', unsettled: [] });
});
