import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineTool, type CallContext } from '../effects/tool.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { EventType } from '../journal/event.ts';
import { JournalError, type Journal } from '../journal/journal.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { aTool, echo, outcomeOf, someJournals, Text, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRequest, IDLE_CLOCK } from '../testing/an-engine.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';
import { BUDGETS } from '../testing/an-event.ts';
import { calls, fails, hangs, says, scriptedModel, type Step } from '../testing/scripted-model.ts';
import { cases } from '@hamlet/test/env/seeded';

const journals = someJournals();

type Execute = (input: { text: string }, context: CallContext) => Promise<ToolOutcome>;

const budgetRun = async (budgets: Partial<typeof BUDGETS>, steps: readonly Step[], tools = [echo('look', 'read')]) => {
  const model = scriptedModel(steps);
  const { engine } = anEngine({ journal: journals.open(), model, tools });
  const outcome = await outcomeOf(await engine.start(aRequest({ budgets: { ...BUDGETS, ...budgets } })));
  model.assertDone();
  const last = model.requests.at(-1);
  const said = JSON.stringify(last?.messages);
  return { outcome, near: said.match(/has used most of/g)?.length ?? 0, tools: last?.tools.length, said };
};
const look = (text: string): Step => calls(['look', { text }]);
const looks = (count: number): readonly Step[] => Array.from({ length: count }, (_, index) => look(`${index}`));
const SUMMARY = 'Half of it is done.';
const ended = (code: string) => ({ kind: 'failed', code, text: SUMMARY, unsettled: [] });

test('each budget warns once; before its end the engine asks for a summary without tools, and the run fails with the code of the budget', async () => {
  const steps = await budgetRun({ steps: 10 }, [...looks(9), says(SUMMARY)]);
  assert.deepEqual([steps.outcome, steps.near, steps.tools], [ended('budget_steps'), 1, 0]);
  assert.match(steps.said, /has used up its steps\. \(budget_steps\) This is the last answer, without tools/);
  const tokens = await budgetRun({ tokens: 150 }, [...looks(9), says(SUMMARY)]);
  assert.deepEqual([tokens.outcome, tokens.near, tokens.tools], [ended('budget_tokens'), 1, 0]);
  const money = await budgetRun({ moneyMicros: 20 }, [...looks(18), says(SUMMARY)]);
  assert.deepEqual([money.outcome, money.near, money.tools], [ended('budget_money'), 1, 0]);
  const same = Array.from({ length: 6 }, () => look('same'));
  const stuck = await budgetRun({ idleCalls: 5 }, [...same, says(SUMMARY)]);
  assert.deepEqual([stuck.outcome, stuck.near, stuck.tools], [ended('no_progress'), 0, 0]);
  assert.equal(stuck.said.match(/repeated earlier ones with the same results/g)?.length, 1);
  const cycle = await budgetRun({ idleCalls: 2 }, [look('a'), look('b'), look('a'), look('b'), says(SUMMARY)]);
  assert.deepEqual(cycle.outcome, ended('no_progress'));
});

test('a last report that ends with the call that comes next is kept', async () => {
  const report = 'Half of it is done. Next:\n```json\n{"name": "look", "arguments": {"text": "9"}}\n```';
  const { outcome } = await budgetRun({ steps: 10 }, [...looks(9), says(report)]);
  assert.deepEqual(outcome, { ...ended('budget_steps'), text: report });
});

test('the model is warned at its third call without progress of ten, so that it can try another way', async () => {
  const warnings = async (count: number) => {
    const { said } = await budgetRun({ idleCalls: 10 }, [
      ...Array.from({ length: count }, () => look('same')),
      says('Done.'),
    ]);
    return said.match(/repeated earlier ones/g)?.length ?? 0;
  };
  assert.deepEqual([await warnings(3), await warnings(4), await warnings(8)], [0, 1, 1]);
});

test('limits that a person raises let it continue, with another warning later; the model reads what is left', async () => {
  const journal = journals.open();
  const model = scriptedModel([...looks(18), says(SUMMARY)]);
  const made = anEngine({
    journal,
    model,
    tools: [
      aTool({ name: 'look', effect: 'read' }, async ({ text }, { run }) => {
        if (model.requests.length === 8) made.engine.raise(run, { ...BUDGETS, steps: 20 });
        made.engine.raise(run, { ...BUDGETS, steps: 5 });
        return { kind: 'ok', text };
      }),
    ],
  });
  const outcome = await outcomeOf(await made.engine.start(aRequest({ budgets: { ...BUDGETS, steps: 10 } })));
  assert.deepEqual([outcome, model.requests.length], [{ kind: 'done', text: SUMMARY }, 19]);
  const said = JSON.stringify(model.requests.at(-1)?.messages);
  assert.equal(said.split('has used most of its steps').length - 1, 1);
  assert.match(said, /\[Left: 3 answers, 999\.\dK tokens, 1\.00 aiDollars\]/);
  assert.match(said, /A person raised the limits of this run: continue as planned\. \[Left: 12 answers/);
});

test('limits raised while the model writes its last answer let it continue with its tools; the answer is paid and unused', async () => {
  const setting: { raise: () => void } = { raise: () => assert.fail('no engine') };
  const raised: Step = async function* (request, signal) {
    setting.raise();
    yield* says(SUMMARY)(request, signal);
  };
  const journal = journals.open();
  const model = scriptedModel([...looks(4), raised, look('more'), says('All of it is done.')]);
  const { engine } = anEngine({ journal, model, tools: [echo('look', 'read')] });
  setting.raise = () => engine.raise('r1', { ...BUDGETS, steps: 20 });
  const outcome = await outcomeOf(await engine.start(aRequest({ run: 'r1', budgets: { ...BUDGETS, steps: 5 } })));
  assert.deepEqual(outcome, { kind: 'done', text: 'All of it is done.' });
  assert.deepEqual(
    model.requests.slice(3).map(({ tools, at }) => [tools.length, at?.ask, at?.attempt]),
    [
      [1, 4, 1],
      [0, 5, 1],
      [1, 5, 2],
      [1, 6, 1],
    ],
  );
  const said = JSON.stringify(model.requests[5]?.messages);
  assert.match(said, /A person raised the limits of this run: continue as planned/);
  assert.doesNotMatch(said, /This is the last answer/);
});

test('a warning about one budget leaves those about the others', async () => {
  const stuck = await budgetRun({ idleCalls: 5, steps: 10 }, [
    ...Array.from({ length: 5 }, () => look('same')),
    ...looks(4),
    says(SUMMARY),
  ]);
  assert.deepEqual([stuck.outcome, stuck.near], [ended('budget_steps'), 1]);
  assert.match(stuck.said, /repeated earlier ones/);
});

test('a model that answers after the warning is done', async () => {
  const early = await budgetRun({ steps: 6 }, [...looks(4), says(SUMMARY)]);
  assert.deepEqual([early.outcome, early.near], [{ kind: 'done', text: SUMMARY }, 0]);
  const warned = await budgetRun({ steps: 20 }, [...looks(17), says(SUMMARY)]);
  assert.deepEqual([warned.outcome, warned.near], [{ kind: 'done', text: SUMMARY }, 1]);
});

test('calls of a tool that polls a silent build do not count against progress', async () => {
  const polling = { ...echo('look', 'read'), polls: true };
  const polls = Array.from({ length: 30 }, () => look('same'));
  assert.equal((await budgetRun({ idleCalls: 3 }, [...polls, says('Built.')], [polling])).outcome.kind, 'done');
});

test('an outage parks the run with growing waits; another start continues it, and a cancel ends it', async () => {
  const journal = journals.open();
  const down = Array.from({ length: 5 }, () => fails('network', true));
  const model = scriptedModel([
    look('x'),
    ...down,
    ...down,
    says('Done.'),
    fails('token_quota_exhausted', false, 900_000),
  ]);
  const clock = { ...SYSTEM_CLOCK, sleep: async () => {} };
  const { engine } = anEngine({ journal, model, tools: [echo('look', 'read')], clock });
  const waiting = (code: string, waitMs: number) => ({ kind: 'waiting', for: 'model', code, waitMs });
  assert.deepEqual(await outcomeOf(await engine.start(aRequest({ run: 'r1' }))), waiting('network', 60_000));
  assert.equal(engine.active(), 0);
  assert.deepEqual(await outcomeOf(engine.resume('r1')), waiting('network', 120_000));
  assert.deepEqual(await outcomeOf(engine.resume('r1')), { kind: 'done', text: 'Done.' });
  const quota = await outcomeOf(await engine.start(aRequest({ run: 'r2' })));
  assert.deepEqual(quota, waiting('token_quota_exhausted', 900_000));
  assert.deepEqual(await outcomeOf(engine.cancel('r2')), { kind: 'cancelled', unsettled: [] });
});

test('a run whose calls all wait for their workers is parked, and repeats only these calls', async () => {
  const waits = [600_000, 60_000, 60_000, 60_000, 60_000, 60_000];
  const seen: string[] = [];
  const work = aTool({ name: 'work', effect: 'read' }, async ({ text }) => {
    seen.push(text);
    const waitMs = text === 'slow' ? waits.shift() : undefined;
    return waitMs === undefined ? { kind: 'ok', text } : { kind: 'parked', code: 'network', waitMs };
  });
  const model = scriptedModel([calls(['work', { text: 'slow' }], ['work', { text: 'fast' }]), says('Done.')]);
  const clock = { ...SYSTEM_CLOCK, sleep: async () => {} };
  const { engine } = anEngine({ journal: journals.open(), model, tools: [work], clock });
  const parked = (waitMs: number) => ({ kind: 'waiting', for: 'model', code: 'network', waitMs });
  assert.deepEqual(await outcomeOf(await engine.start(aRequest({ run: 'r1' }))), parked(600_000));
  for (let time = 0; time < 5; time += 1)
    assert.deepEqual(await outcomeOf(engine.resume('r1')), parked(60_000), 'more often than a call is attempted');
  assert.deepEqual(await outcomeOf(engine.resume('r1')), { kind: 'done', text: 'Done.' });
  assert.deepEqual([seen.length, seen.filter((text) => text === 'fast').length], [8, 1]);
});

test('a provider that names no time, or a second, does not use up the parks', async () => {
  const clock = { ...SYSTEM_CLOCK, sleep: async () => {} };
  for (const [named, waitMs] of [
    [0, 60_000],
    [1_000, 60_000],
    [3_600_000, 3_600_000],
  ] as const) {
    const model = scriptedModel([fails('rate', false, named)]);
    const { engine } = anEngine({ journal: journals.open(), model, clock });
    const outcome = await outcomeOf(await engine.start(aRequest()));
    assert.deepEqual(outcome, { kind: 'waiting', for: 'model', code: 'rate', waitMs });
  }
});

test('an error of the journal during a call does not end the run: the same engine takes it up again', async () => {
  const real = journals.open();
  let isFull = false;
  const append: Journal['append'] = (write) => {
    if (isFull) throw new JournalError('journal_unwritable', 'The disk is full.');
    real.append(write);
  };
  const work = aTool({ name: 'work', effect: 'keyed' }, async ({ text }, { attempt }) => {
    isFull = attempt === 1;
    return { kind: 'ok', text };
  });
  const model = scriptedModel([calls(['work', { text: 'x' }]), says('Done.')]);
  const { engine } = anEngine({ journal: { ...real, append }, model, tools: [work] });
  const begun = await engine.start(aRequest({ run: 'r1' }));
  await assert.rejects(outcomeOf(begun), { code: 'journal_unwritable' });
  isFull = false;
  assert.deepEqual(await outcomeOf(engine.resume('r1')), { kind: 'done', text: 'Done.' });
});

test('a verification may run after the time budget has ended; no person is asked', async () => {
  const shell = defineTool({
    name: 'shell',
    description: 'shell',
    input: Text,
    effect: 'verify',
    timeoutMs: 60_000,
    execute: (_input, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'unknown', text: 'It was stopped.' }));
      }),
    verify: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { kind: 'done', outcome: { kind: 'ok', text: 'exit 0' } };
    },
  });
  const done = await budgetRun({ timeMs: 300 }, [calls(['shell', { text: 'x' }]), says(SUMMARY)], [shell]);
  assert.deepEqual(done.outcome, ended('budget_time'));
  assert.match(done.said, /exit 0/);
});

test('the time budget uses the monotonic clock: a wall clock an hour off changes nothing', async () => {
  for (const shift of [3_600_000, -3_600_000]) {
    let asked = 0;
    const clock = { ...SYSTEM_CLOCK, now: () => Date.now() + (asked += 1) * shift };
    const model = scriptedModel([look('x'), says('Done.')]);
    const { engine } = anEngine({ journal: journals.open(), model, tools: [echo('look', 'read')], clock });
    const budgets = { ...BUDGETS, timeMs: 60_000 };
    assert.equal((await outcomeOf(await engine.start(aRequest({ budgets })))).kind, 'done');
  }
  let time = 0;
  const clock = { ...SYSTEM_CLOCK, monotonic: () => (time += 40_000) };
  const model = scriptedModel([look('x'), says(SUMMARY)]);
  const { engine } = anEngine({ journal: journals.open(), model, tools: [echo('look', 'read')], clock });
  const outcome = await outcomeOf(await engine.start(aRequest({ budgets: { ...BUDGETS, timeMs: 100_000 } })));
  assert.equal(outcome.kind === 'failed' ? outcome.code : outcome.kind, 'budget_time');
});

test("a child run spends its parent's budget, and ends with it", async () => {
  const journal = journals.open();
  const model = scriptedModel([
    calls(['delegate', { text: 'x' }]),
    look('1'),
    look('2'),
    says('Over.'),
    says('Parent done.'),
  ]);
  const setting: { engine: ReturnType<typeof anEngine>['engine'] | null } = { engine: null };
  const delegate = aTool({ name: 'delegate', effect: 'keyed' }, async ({ text }, { run, call, key }) => {
    const request = aRequest({ conversation: key, input: text, run: key, parent: { run, call } });
    const begun = await (setting.engine ?? assert.fail('no engine')).start(request);
    const outcome = await outcomeOf(begun);
    return { kind: 'ok', text: outcome.kind };
  });
  const { engine } = anEngine({ journal, model, tools: [delegate, echo('look', 'read')] });
  setting.engine = engine;
  const outcome = await outcomeOf(await engine.start(aRequest({ budgets: { ...BUDGETS, steps: 4 } })));
  assert.deepEqual(outcome, { kind: 'failed', code: 'budget_steps', text: 'Parent done.', unsettled: [] });
  model.assertDone();
  assert.match(
    JSON.stringify(model.requests[3]?.messages),
    /budget_steps/,
    'the child is warned about the budget of its parent',
  );
});

test('after a cancel in any state nothing starts, no text is streamed, and unsettled calls are named', async () => {
  const untilAborted: Execute = (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  const deaf: Execute = () => new Promise(() => {});
  type State = readonly [EventType, readonly Step[], Execute, 'allow' | 'ask', readonly string[]];
  const call = [calls(['post', { text: 'x' }])];
  const states: Readonly<Record<string, State>> = {
    'during a request to a model that ignores the abort': ['model_asked', [hangs()], untilAborted, 'allow', []],
    'in a call': ['tool_intent', call, untilAborted, 'allow', ['1.0']],
    'during a call that ignores the abort': ['tool_intent', call, deaf, 'allow', ['1.0']],
    'waiting for a person': ['permission_asked', call, untilAborted, 'ask', []],
    'between two attempts': ['model_failed', [fails('overloaded', true)], untilAborted, 'allow', []],
  };
  for (const [title, [reached, steps, execute, verdict, unsettled]] of Object.entries(states)) {
    const journal = journals.open();
    const model = scriptedModel(steps);
    const tools = [aTool({ name: 'post', effect: 'once', timeoutMs: 60_000 }, execute)];
    const policy = { judge: () => ({ verdict, reason: '' }) };
    const { engine, notices } = anEngine({
      journal,
      model,
      tools,
      policy,
      limits: { cancelGraceMs: 50 },
      clock: IDLE_CLOCK,
    });
    const begun = await engine.start(aRequest());
    const run = begun.ok ? begun.run : '';
    while (!typesOf(journal, run).includes(reached)) await new Promise((resolve) => setTimeout(resolve, 2));
    const before = notices.filter(({ type }) => type === 'delta').length;
    assert.deepEqual(await outcomeOf(engine.cancel(run)), { kind: 'cancelled', unsettled }, title);
    const types = typesOf(journal, run);
    const afterCancel = types.slice(types.indexOf('cancel_asked') + 1);
    assert.ok(
      afterCancel.every((type) => ['stage_closed', 'run_closed', 'tool_unknown', 'model_failed'].includes(type)),
      title,
    );
    assert.equal(notices.filter(({ type }) => type === 'delta').length, before, title);
    assert.equal(engine.cancel(run).ok, false);
    assert.equal(engine.active(), 0);
  }
});

test('after an interruption nothing starts, a running call settles, and the next engine continues', async () => {
  const path = journals.path();
  const first = openSqliteJournal(path);
  const gate = Promise.withResolvers<void>();
  const post = aTool({ name: 'post', effect: 'once' }, async ({ text }) => {
    await gate.promise;
    return { kind: 'ok', text: `posted ${text}` };
  });
  const setting = { journal: first, tools: [post], limits: { interruptGraceMs: 5_000 } };
  const { engine } = anEngine({ ...setting, model: scriptedModel([calls(['post', { text: 'x' }])]) });
  const begun = await engine.start(aRequest());
  const run = begun.ok ? begun.run : '';
  while (!typesOf(first, run).includes('tool_intent')) await new Promise((resolve) => setTimeout(resolve, 2));
  const interrupted = engine.interrupt();
  gate.resolve();
  await interrupted;
  assert.deepEqual(await outcomeOf(begun), { kind: 'waiting', for: 'engine' });
  assert.deepEqual(typesOf(first, run).slice(-2), ['interrupted', 'tool_settled']);
  assert.deepEqual(await engine.start(aRequest()), { ok: false, code: 'engine_stopped' });
  first.close();
  const second = openSqliteJournal(path);
  const model = scriptedModel([says('Posted.')]);
  const next = anEngine({ journal: second, model, tools: [post] });
  assert.equal(second.rowOf(run)?.isOpen, true);
  assert.deepEqual(await outcomeOf(next.engine.resume(run)), { kind: 'done', text: 'Posted.' });
  assert.equal(model.requests[0]?.messages.at(-1)?.content, 'posted x');
});

const RUNS = cases(80, 10_000);

test(`${RUNS} finished runs leave no memory behind`, async (t) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  const journal = journals.open();
  const model = { chat: (request: Parameters<Step>[0], signal: AbortSignal) => says('Hello.')(request, signal) };
  const { engine } = anEngine({ journal, model, notify: () => {} });
  const outcomes: WeakRef<object>[] = [];
  const heap: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const begun = await engine.start(aRequest({ conversation: `c${run}` }));
    outcomes.push(new WeakRef(await outcomeOf(begun)));
    if (run % (RUNS / 4) !== 0) continue;
    collect();
    heap.push(process.memoryUsage().heapUsed / 2 ** 20);
  }
  await new Promise((resolve) => setTimeout(resolve, 10));
  collect();
  t.diagnostic(`heap at each quarter of ${RUNS} runs: ${heap.map((mib) => mib.toFixed(1)).join(', ')} MiB`);
  assert.equal(engine.active(), 0);
  const alive = outcomes.filter((outcome) => outcome.deref() !== undefined).length;
  assert.ok(alive <= 5, `${alive} outcomes of ${RUNS} runs are still referenced`);
});
