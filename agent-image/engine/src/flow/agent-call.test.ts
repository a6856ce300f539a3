/** Agents that a host asks by calls of a tool. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineTool, type CallContext, type Postponed, type Tool } from '../effects/tool.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import { agentStage, aTask, flowEngine, runPlan, stageEnds, taskOutput } from '../testing/a-flow.ts';
import { aPlan, aStage } from '../testing/a-plan.ts';
import { outcomeOf, someJournals } from '../testing/a-tool.ts';
import { anEngine } from '../testing/an-engine.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import type { FlowPorts } from './flow-ports.ts';

const journals = someJournals();

type Answer = (asked: string, context: CallContext) => Promise<ToolOutcome | Postponed>;

const asking = (answer: Answer): Tool =>
  defineTool({
    name: 'ask',
    description: 'Asks an agent.',
    input: z.strictObject({ stage: z.string(), input: z.unknown() }),
    effect: 'read',
    timeoutMs: 10_000,
    execute: ({ stage, input }, context) => answer(`${stage}: ${JSON.stringify(input)}`, context),
  });

const ports: Partial<FlowPorts> = {
  agentRun: async () => assert.fail('no agent has a run of this engine'),
  agentCall: ({ stage, input }) => ({ tool: 'ask', arguments: { stage: stage.id, input } }),
};

const answer = (value: unknown): ToolOutcome => ({ kind: 'ok', text: JSON.stringify(value) });
const by = (reply: Answer) => ({ ports, tools: [asking(reply)] });

test('an answer is the output of its stage, as a text or as a value, and calls run side by side', async () => {
  const plan = aPlan(
    [agentStage('a'), agentStage('b'), aStage('all', { role: 'merge', merge: 'by_source' })],
    ['a>all', 'b>all'],
  );
  const both = Promise.withResolvers<void>();
  let running = 0;
  const { outcome } = await runPlan(plan, 'x', {
    ...by(async (asked) => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
      return answer(asked.startsWith('a') ? 'a text' : { score: 4 });
    }),
  });
  assert.deepEqual(taskOutput(outcome), { a: 'a text', b: { score: 4 } });
});

test('a judge that is asked by calls sends its stage back until it is content', async () => {
  const feedback = { reviews: 'draft', until: 'output.score >= 4', maxRounds: 3 };
  const plan = aPlan([agentStage('draft'), agentStage('judge', { role: 'feedback', feedback })], ['draft>judge']);
  const asked: string[] = [];
  const { outcome, journal } = await runPlan(plan, 'x', {
    ...by(async (words, { call }) => {
      asked.push(call);
      if (words.startsWith('draft')) return answer(`draft ${asked.length}`);
      return answer({ score: words.includes('draft 3') ? 5 : 1 });
    }),
  });
  assert.deepEqual(asked, ['draft.1.1:1', 'judge.1.1:1', 'draft.2.1:1', 'judge.2.1:1']);
  assert.partialDeepStrictEqual(taskOutput(outcome), { result: 'draft 3', rounds: 2, accepted: true });
  assert.deepEqual(stageEnds(journal), ['draft done 2.1', 'judge done 2.1']);
});

test('a failed run of an agent is tried again by a new call, and then follows the edge of its category', async () => {
  const retry = { attempts: 2, backoffMs: 1, on: ['agent'] as const };
  const plan = aPlan([agentStage('a', { retry }), aStage('b'), aStage('alarm')], ['a>b', 'a!alarm']);
  const calls: string[] = [];
  const { outcome } = await runPlan(plan, 'x', {
    ...by(async (_asked, { call }) => {
      calls.push(call);
      return { kind: 'failed', code: 'empty_answer', text: 'It said nothing.' };
    }),
  });
  assert.deepEqual(calls, ['a.1.1:1', 'a.1.2:1']);
  assert.deepEqual(taskOutput(outcome), {
    failure: { stage: 'a', category: 'agent', code: 'empty_answer', message: 'It said nothing.' },
    input: 'x',
  });
});

for (const [code, category] of [
  ['output_not_valid', 'json'],
  ['context_too_small', 'context'],
  ['model_auth', 'config'],
  ['budget_tokens', 'engine'],
] as const)
  test(`the failure ${code} of a run of an agent has the category ${category}`, async () => {
    const plan = aPlan([agentStage('a'), aStage('b'), aStage('alarm')], ['a>b', 'a!alarm']);
    const { outcome } = await runPlan(
      plan,
      'x',
      by(async () => ({ kind: 'failed', code, text: '' })),
    );
    assert.partialDeepStrictEqual(taskOutput(outcome), { failure: { code, category } });
  });

test('an answer that a result has no room for fails its stage', async () => {
  const { outcome } = await runPlan(
    aPlan([agentStage('a')]),
    'x',
    by(async () => answer('x'.repeat(1_100_000))),
  );
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'answer_too_long' });
});

test('agents that wait for their models park the task; a resumed one asks them again by the same calls', async () => {
  const plan = aPlan(
    [agentStage('a'), agentStage('b'), aStage('all', { role: 'merge', merge: 'list' })],
    ['a>all', 'b>all'],
  );
  const calls: string[] = [];
  let isReady = false;
  const { outcome, engine } = await runPlan(plan, 'x', {
    ...by(async (_asked, { call }) => {
      calls.push(call);
      return isReady ? answer(call) : { kind: 'parked', code: 'rate', waitMs: call.startsWith('a') ? 70_000 : 60_000 };
    }),
  });
  assert.deepEqual(outcome, { kind: 'waiting', for: 'model', code: 'rate', waitMs: 60_000 });
  isReady = true;
  assert.deepEqual(taskOutput(await outcomeOf(engine.resume('t1'))), ['a.1.1:1', 'b.1.1:1']);
  assert.deepEqual(calls, ['a.1.1:1', 'b.1.1:1', 'a.1.1:1', 'b.1.1:1']);
});

test('the permission for a call is a question of the task', async () => {
  let isAllowed = false;
  const { outcome, engine } = await runPlan(aPlan([agentStage('a')]), 'x', {
    ...by(async () => (isAllowed ? answer('fine') : { kind: 'needs_permission', reason: 'A person decides.' })),
  });
  const request = 't1/a.1.1:1/1';
  assert.deepEqual(outcome, { kind: 'waiting', for: 'permission', requests: [request] });
  isAllowed = true;
  assert.equal(taskOutput(await outcomeOf(engine.answer('t1', { request, answer: 'allow' }))), 'fine');
});

test('another engine asks again by the same call, and asks no agent that has answered', async () => {
  const plan = aPlan([agentStage('a'), agentStage('b')], ['a>b']);
  const journal = journals.open();
  const begun = Promise.withResolvers<void>();
  const first = flowEngine({
    journal,
    ...by(async (asked, { signal }) => {
      if (asked.startsWith('a')) return answer('one');
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { kind: 'unknown', text: 'The process ends.' };
    }),
  });
  const work = await first.engine.start(aTask(plan, 'x'));
  await begun.promise;
  await first.engine.release('t1', 'now');
  assert.deepEqual(await outcomeOf(work), { kind: 'waiting', for: 'engine' });
  const calls: string[] = [];
  const second = flowEngine({
    journal,
    ...by(async (asked, { call }) => {
      calls.push(`${call} ${asked}`);
      return answer('two');
    }),
  });
  assert.equal(taskOutput(await outcomeOf(second.engine.resume('t1'))), 'two');
  assert.deepEqual(calls, ['b.1.1:1 b: "one"']);
});

test('a cancelled task aborts its calls and ends', async () => {
  const begun = Promise.withResolvers<void>();
  let isAborted = false;
  const journal = journals.open();
  const { engine } = flowEngine({
    journal,
    ...by(async (_asked, { signal }) => {
      signal.addEventListener('abort', () => (isAborted = true));
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { kind: 'unknown', text: 'Stopped.' };
    }),
  });
  const work = await engine.start(aTask(aPlan([agentStage('a'), aStage('b')], ['a>b']), 'x'));
  await begun.promise;
  engine.cancel('t1');
  assert.deepEqual(await outcomeOf(work), { kind: 'cancelled', unsettled: [] });
  assert.equal(isAborted, true);
  assert.deepEqual(stageEnds(journal), ['a stopped 1.1']);
});

test('an engine without plans closes a task that another engine has left', async () => {
  const plan = aPlan([agentStage('a')]);
  const { journal } = await runPlan(
    plan,
    'x',
    by(async () => ({ kind: 'parked', code: 'rate', waitMs: 60_000 })),
  );
  const { engine } = anEngine({ journal, model: scriptedModel([]) });
  await engine.abandon('t1');
  assert.deepEqual(engine.outcomeOf('t1'), { kind: 'cancelled', unsettled: [] });
});
