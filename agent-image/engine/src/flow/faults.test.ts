/** Plans under faults: failures within rounds, ends while work is under way, answers and cancels at any time. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openSqliteJournal } from '../journal/sqlite-journal.ts';
import type { Notice } from '../loop/kit.ts';
import type { ModelPort } from '../loop/ports.ts';
import { agentStage, aTask, flowEngine, runPlan, SHOUT, stageEnds, taskOutput, toolStage } from '../testing/a-flow.ts';
import { aPlan, aStage } from '../testing/a-plan.ts';
import { aTool, outcomeOf, someJournals } from '../testing/a-tool.ts';
import { calls, says, scriptedModel } from '../testing/scripted-model.ts';
import { SYSTEM_CLOCK } from '../loop/system-clock.ts';
import type { PlanStage } from '../workflow/plan/plan.ts';
import type { FlowPorts } from './flow-ports.ts';
import { indexOf } from './decision/plan-index.ts';
import { stagesToBegin } from './decision/ready-stages.ts';

const journals = someJournals();

/** Answers no request, and ends when it is aborted. */
const endless = (asked: () => void = () => {}): ModelPort => ({
  chat: async function* (_request, signal) {
    asked();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield { type: 'delta', text: '' };
  },
});

const failing = (id: string, fields: Partial<PlanStage> = {}): PlanStage => toolStage(id, 'broken', fields);
const BROKEN = aTool({ name: 'broken', effect: 'read' }, async () => ({ kind: 'failed', code: 'broken', text: 'no' }));

/** Works once, and fails from then on. */
function onceThenFails() {
  let times = 0;
  return aTool({ name: 'tired', effect: 'read' }, async ({ text }) => {
    times += 1;
    return times === 1 ? { kind: 'ok', text } : { kind: 'failed', code: 'tired', text: 'no' };
  });
}

const judge = (fields: Partial<PlanStage> = {}): PlanStage =>
  aStage('judge', { role: 'feedback', feedback: { reviews: 'draft', until: 'false', maxRounds: 3 }, ...fields });

test('a judged stage that fails in a later round ends its judge too; the task follows the error edge', async () => {
  const plan = aPlan(
    [toolStage('draft', 'tired', { input: 'x' }), judge(), aStage('alarm', { output: "'alarm'" }), aStage('end')],
    ['draft>judge', 'draft!alarm', 'judge>end'],
  );
  const { outcome } = await runPlan(plan, 'x', { tools: [onceThenFails()] });
  assert.equal(taskOutput(outcome), 'alarm');
});

test('work of a stopped stage may end while another one is being stopped', async () => {
  const slow = aTool({ name: 'slow', effect: 'read' }, async ({ text }, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { kind: 'ok', text };
  });
  const plan = aPlan(
    [toolStage('a', 'slow'), agentStage('c'), toolStage('b', 'shout'), aStage('m', { role: 'merge', merge: 'first' })],
    ['a>m', 'b>m', 'c>m'],
  );
  const { outcome } = await runPlan(plan, 'x', { tools: [SHOUT, slow], model: endless() });
  assert.equal(taskOutput(outcome), 'shout: x');
});

test('a stage that waits for another attempt takes no place of the stages that may run at once', async () => {
  const began: string[] = [];
  const flaky = aTool({ name: 'flaky', effect: 'read' }, async ({ text }) => {
    began.push(text);
    return began.length === 1 ? { kind: 'failed', code: 'broken', text: 'no' } : { kind: 'ok', text };
  });
  const retry = { attempts: 2, backoffMs: 30, on: null };
  const stages = [toolStage('a', 'flaky', { input: 'a', retry }), toolStage('b', 'flaky', { input: 'b', retry })];
  const { outcome } = await runPlan(aPlan(stages, [], { maxParallel: 1 }), 'x', { tools: [flaky] });
  assert.deepEqual(taskOutput(outcome), { b: 'b', a: 'a' });
  assert.deepEqual(began, ['a', 'b', 'a']);
});

test('a task that repeats a judge gives the judged stage its first input again, not that of a round', async () => {
  const journal = journals.open();
  const plan = aPlan([aStage('draft'), judge()], ['draft>judge']);
  const { engine } = flowEngine({ journal });
  await outcomeOf(await engine.start(aTask(plan, 'x')));
  const task = JSON.stringify({ id: 't2', input: 'x', mode: null, tags: [], rerun: { of: 't1', stage: 'judge' } });
  const flow = { workflow: 'test', pipeline: 'default', task };
  const again = await engine.start(aTask(plan, 'x', { run: 't2', conversation: 't2', flow }));
  assert.partialDeepStrictEqual(taskOutput(await outcomeOf(again)), { result: { input: 'x' }, rounds: 3 });
});

test('the target of a fallback rule takes one failure; a second one fails the task', async () => {
  const rule = { category: 'tool', role: null, to: 'alarm' } as const;
  const plan = aPlan([failing('a'), failing('b'), aStage('alarm')], [], { fallbacks: [rule] });
  const { outcome, journal } = await runPlan(plan, 'x', { tools: [BROKEN] });
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'failed' });
  assert.deepEqual(stageEnds(journal), ['a failed 1.1', 'b failed 1.1']);
});

test('a cancel reaches agents that wait for people', async () => {
  const journal = journals.open();
  const policy = { judge: () => ({ verdict: 'ask', reason: '' }) as const };
  const model = scriptedModel([calls(['shout', { text: 'x' }])]);
  const { engine } = flowEngine({ journal, tools: [SHOUT], policy, model });
  await outcomeOf(await engine.start(aTask(aPlan([agentStage('a')]), 'x')));
  assert.deepEqual(await outcomeOf(engine.cancel('t1')), { kind: 'cancelled', unsettled: [] });
  assert.deepEqual(engine.openRuns(), []);
  assert.deepEqual(stageEnds(journal), ['a stopped 1.1']);
});

test('an answer that comes as soon as the question is asked is kept', async () => {
  const journal = journals.open();
  const policy = { judge: () => ({ verdict: 'ask', reason: '' }) as const };
  const model = scriptedModel([calls(['shout', { text: 'x' }]), says('Done.')]);
  const notify = (notice: Notice): void => {
    if (notice.type !== 'event' || notice.event.type !== 'permission_asked') return;
    const { request } = notice.event;
    queueMicrotask(() => engine.resume('t1', { answers: [{ request, answer: 'allow' }] }));
  };
  const { engine } = flowEngine({ journal, tools: [SHOUT], policy, model, notify });
  const outcome = await outcomeOf(await engine.start(aTask(aPlan([agentStage('a')]), 'x')));
  assert.equal(taskOutput(outcome), 'Done.');
});

test('a cancel reaches an agent whose run is being opened', async () => {
  const journal = journals.open();
  const recalling = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const memory = {
    recall: async ({ run }: { run: string }) => {
      if (run !== 't1') {
        recalling.resolve();
        await gate.promise;
      }
      return [];
    },
  };
  const { engine } = flowEngine({
    journal,
    model: endless(() => {
      asked += 1;
    }),
    memory,
  });
  const begun = await engine.start(aTask(aPlan([agentStage('a')]), 'x'));
  await recalling.promise;
  engine.cancel('t1');
  gate.resolve();
  assert.partialDeepStrictEqual(await outcomeOf(begun), { kind: 'cancelled' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(asked, 0);
  assert.deepEqual(engine.openRuns(), []);
});

test('an agent stage whose run cannot be read fails', async () => {
  const path = journals.path();
  const policy = { judge: () => ({ verdict: 'ask', reason: '' }) as const };
  const model = scriptedModel([calls(['shout', { text: 'x' }])]);
  const first = openSqliteJournal(path);
  const waiting = flowEngine({ journal: first, tools: [SHOUT], policy, model });
  await outcomeOf(await waiting.engine.start(aTask(aPlan([agentStage('a')]), 'x')));
  first.close();
  const database = new DatabaseSync(path);
  database.exec("update event set body = '{' where run = (select id from name where name = 't1/a.1.1')");
  database.close();
  const { engine } = flowEngine({ journal: openSqliteJournal(path), tools: [SHOUT], policy });
  assert.partialDeepStrictEqual(await outcomeOf(engine.resume('t1')), { kind: 'failed', code: 'journal_damaged' });
});

test('a stage with a time limit ends its call, and makes no other one after it', async () => {
  const slow = aTool({ name: 'slow', effect: 'read' }, async (_input, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { kind: 'ok', text: 'late' };
  });
  const limited = aPlan([toolStage('a', 'slow', { timeoutMs: 20 })]);
  const { outcome } = await runPlan(limited, 'x', { tools: [slow] });
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'timed_out' });
  let made = 0;
  const wait = aTool({ name: 'wait', effect: 'once' }, async ({ text }) => {
    made += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { kind: 'ok', text };
  });
  let now = 0;
  const clock = { ...SYSTEM_CLOCK, monotonic: () => (now += 10) };
  const toolStep: FlowPorts['toolStep'] = () => ({
    kind: 'calls',
    calls: [{ tool: 'wait', arguments: { text: 'x' } }],
  });
  const many = aPlan([toolStage('a', 'wait', { timeoutMs: 500 })]);
  const ended = await runPlan(many, 'x', { tools: [wait], ports: { toolStep }, clock });
  assert.partialDeepStrictEqual(ended.outcome, { kind: 'failed', code: 'timed_out' });
  assert.ok(made > 1 && made < 50, `${made} calls`);
});

test('the wait before another attempt is at most a day, which a timer can hold', () => {
  const retry = { attempts: 20, backoffMs: 3_600_000, on: null };
  const index = indexOf(aPlan([toolStage('a', 'broken', { retry })]));
  const failure = { category: 'tool', code: 'failed', message: 'x' } as const;
  const closed = { end: 'failed', output: null, failure, edges: [] } as const;
  const stage = { id: 'a', role: 'tool', attempt: 19, round: 1, input: '', closed, place: 1, calls: [] } as const;
  const { ready } = stagesToBegin({
    index,
    flow: { stages: new Map([['a', { ...stage, closed: { ...closed, edges: [] } }]]), ends: 1 },
  });
  assert.deepEqual(
    ready.map(({ attempt, delayMs }) => [attempt, delayMs]),
    [[20, 86_400_000]],
  );
});

test('a repeated task takes over failures that led on, with the target of their rule', async () => {
  const rule = { category: 'tool', role: null, to: 'alarm' } as const;
  const plan = aPlan([failing('a'), toolStage('alarm', 'shout'), toolStage('end', 'shout')], ['alarm>end'], {
    fallbacks: [rule],
  });
  const { journal, outcome } = await runPlan(plan, 'x', { tools: [BROKEN, SHOUT] });
  assert.equal(taskOutput(outcome), 'shout: shout: x');
  const { engine } = flowEngine({ journal, tools: [SHOUT] });
  const task = { id: 't2', input: 'x', mode: null, tags: [], rerun: { of: 't1', stage: 'end', input: 'y' } };
  const flow = { workflow: 'test', pipeline: 'default', task: JSON.stringify(task) };
  const again = await engine.start(aTask(plan, 'x', { run: 't2', conversation: 't2', flow }));
  assert.equal(taskOutput(await outcomeOf(again)), 'shout: y');
  assert.deepEqual(stageEnds(journal, 't2'), ['a failed 1.1', 'alarm done 1.1', 'end done 1.1']);
});
