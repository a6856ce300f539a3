import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CallContext } from '../effects/tool.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { EventType } from '../journal/event.ts';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import { aTool, echo, outcomeOf, someJournals, typesOf } from '../testing/a-tool.ts';
import { anEngine, aRequest, IDLE_CLOCK } from '../testing/an-engine.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';
import { BUDGETS } from '../testing/an-event.ts';
import { calls, fails, hangs, says, scriptedModel, type Step } from '../testing/scripted-model.ts';
import { cases } from '@hamlet/test/env/seeded';

const journals = someJournals();

type Execute = (input: { text: string }, context: CallContext) => Promise<ToolOutcome>;

const budgetRun = async (budgets: Partial<typeof BUDGETS>, steps: readonly Step[]) => {
  const model = scriptedModel(steps);
  const tools = [echo('look', 'read')];
  const { engine } = anEngine({ journal: journals.open(), model, tools });
  const outcome = await outcomeOf(await engine.start(aRequest({ budgets: { ...BUDGETS, ...budgets } })));
  model.assertDone();
  const warnings = model.requests
    .at(-1)
    ?.messages.filter(({ role, content }) => role === 'user' && /budget of/.test(content));
  return { outcome, warnings: warnings?.length ?? 0, lastTools: model.requests.at(-1)?.tools.length };
};
const look = (text: string): Step => calls(['look', { text }]);

test('each budget warns once, allows one more request to finish, and then ends the run with its code', async () => {
  const endless = Array.from({ length: 40 }, (_, index) => look(`${index}`));
  const ended = (code: string) => ({ kind: 'failed', code, unsettled: [] });
  const steps = await budgetRun({ steps: 3 }, endless.slice(0, 3));
  assert.deepEqual(steps, { outcome: ended('budget_steps'), warnings: 1, lastTools: 1 });
  const tokens = await budgetRun({ tokens: 75 }, endless.slice(0, 5));
  assert.deepEqual(tokens, { outcome: ended('budget_tokens'), warnings: 1, lastTools: 1 });
  const money = await budgetRun({ moneyMicros: 1 }, endless.slice(0, 2));
  assert.deepEqual(money, { outcome: ended('budget_money'), warnings: 1, lastTools: 0 });
  const stuck = await budgetRun({ idleCalls: 2 }, [look('same'), look('same'), look('same'), look('same')]);
  assert.deepEqual(stuck, { outcome: ended('no_progress'), warnings: 1, lastTools: 0 });
  const cycle = await budgetRun({ idleCalls: 2 }, [look('a'), look('b'), look('a'), look('b'), look('a')]);
  assert.deepEqual(cycle.outcome, ended('no_progress'));
});

test('a model that finishes after the warning is done', async () => {
  const finished = await budgetRun({ steps: 2 }, [look('x'), says('Half of it is done.')]);
  assert.deepEqual(finished, { outcome: { kind: 'done', text: 'Half of it is done.' }, warnings: 1, lastTools: 1 });
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
  const model = scriptedModel([look('x'), look('y')]);
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
  assert.deepEqual(outcome, { kind: 'done', text: 'Parent done.' });
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

const RUNS = cases(200, 10_000);

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
