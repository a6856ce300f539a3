import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelPort } from '../loop/ports.ts';
import { agentStage, aTask, flowEngine, runPlan, SHOUT, stageEnds, taskOutput, toolStage } from '../testing/a-flow.ts';
import { aStage, aPlan } from '../testing/a-plan.ts';
import { aTool, outcomeOf, someJournals } from '../testing/a-tool.ts';
import { anEngine } from '../testing/an-engine.ts';
import { calls, fails, says, scriptedModel } from '../testing/scripted-model.ts';

const journals = someJournals();

test('stages run one after the other; each gets the output of the previous one', async () => {
  const plan = aPlan(
    [
      toolStage('a', 'shout'),
      aStage('b', { output: "{'said': input}" }),
      toolStage('c', 'shout', { input: '=input.said' }),
    ],
    ['a>b', 'b>c'],
  );
  const { outcome, journal } = await runPlan(plan, 'hello', { tools: [SHOUT] });
  assert.equal(taskOutput(outcome), 'shout: shout: hello');
  assert.deepEqual(stageEnds(journal), ['a done 1.1', 'b done 1.1', 'c done 1.1']);
});

test('branches run side by side, bounded, and a merge joins them without losing one', async () => {
  let [running, most] = [0, 0];
  const wait = aTool({ name: 'wait', effect: 'once' }, async ({ text }) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return { kind: 'ok', text };
  });
  const ids = Array.from({ length: 12 }, (_, index) => `b${index}`);
  const plan = aPlan(
    [
      aStage('in'),
      ...ids.map((id) => toolStage(id, 'wait', { input: `=input + "${id}"` })),
      aStage('all', { role: 'merge', merge: 'by_source' }),
    ],
    ids.flatMap((id) => [`in>${id}`, `${id}>all`]),
    { maxParallel: 4 },
  );
  const { outcome } = await runPlan(plan, 'x', { tools: [wait] });
  assert.deepEqual(taskOutput(outcome), Object.fromEntries(ids.map((id) => [id, `x${id}`])));
  assert.equal(most, 4);
});

test('a decision takes one edge; the stages after the others are skipped, and a merge does not wait for them', async () => {
  const plan = aPlan(
    [
      aStage('d', { role: 'decision', decides: true }),
      aStage('low'),
      aStage('high'),
      aStage('higher'),
      aStage('end', { role: 'merge', merge: 'list' }),
    ],
    ['d?low:output < 3', 'd?high', 'high>higher', 'low>end', 'higher>end'],
  );
  const small = await runPlan(plan, 1);
  assert.deepEqual(taskOutput(small.outcome), [1]);
  assert.deepEqual(
    stageEnds(small.journal).filter((end) => end.includes('skipped')),
    ['high skipped 1.0', 'higher skipped 1.0'],
  );
  assert.deepEqual(taskOutput((await runPlan(plan, 9)).outcome), [9]);
});

test('a failure is tried again, then follows its error edge with the input of the failed stage', async () => {
  let tries = 0;
  const broken = aTool({ name: 'broken', effect: 'read' }, async () => {
    tries += 1;
    return { kind: 'failed', code: 'broken', text: 'no' };
  });
  const plan = aPlan(
    [toolStage('a', 'broken', { retry: { attempts: 3, backoffMs: 1, on: null } }), aStage('b'), aStage('alarm')],
    ['a>b', 'a!alarm'],
  );
  const { outcome, journal } = await runPlan(plan, 'x', { tools: [broken] });
  assert.deepEqual(taskOutput(outcome), {
    failure: { stage: 'a', category: 'tool', code: 'failed', message: 'The tool failed.' },
    input: 'x',
  });
  assert.equal(tries, 3);
  assert.deepEqual(stageEnds(journal).toSorted(), ['a failed 1.3', 'alarm done 1.1', 'b skipped 1.0']);
});

test('a fallback edge and a fallback rule get the input of the failed stage; without either the task fails with its code', async () => {
  const broken = aTool({ name: 'broken', effect: 'read' }, async () => ({
    kind: 'failed',
    code: 'broken',
    text: 'no',
  }));
  const stages = [toolStage('a', 'broken'), aStage('b')];
  const byEdge = await runPlan(aPlan(stages, ['a~b']), 'x', { tools: [broken] });
  assert.equal(taskOutput(byEdge.outcome), 'x');
  const rule = { category: 'tool', role: 'tool', to: 'b' } as const;
  const byRule = await runPlan(aPlan([...stages, aStage('c')], ['a>c'], { fallbacks: [rule] }), 'x', {
    tools: [broken],
  });
  assert.equal(taskOutput(byRule.outcome), 'x');
  const none = await runPlan(aPlan([toolStage('a', 'broken')]), 'x', { tools: [broken] });
  assert.partialDeepStrictEqual(none.outcome, { kind: 'failed', code: 'failed' });
});

test('a fallback rule that nothing needs leaves its stage skipped', async () => {
  const rule = { category: 'tool', role: null, to: 'b' } as const;
  const { outcome, journal } = await runPlan(aPlan([aStage('a'), aStage('b')], [], { fallbacks: [rule] }), 1);
  assert.equal(taskOutput(outcome), 1);
  assert.deepEqual(stageEnds(journal), ['a done 1.1', 'b skipped 1.0']);
});

test('two taken edges fail the task unless they meet in a merge', async () => {
  const { outcome } = await runPlan(aPlan([aStage('a'), aStage('b'), aStage('c')], ['a>c', 'b>c']), 1);
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'several_inputs' });
});

test('an agent works in a run of its own, whose costs count for the task', async () => {
  const model = scriptedModel([calls(['shout', { text: 'x' }]), says('Fine.')]);
  const { outcome, engine, journal } = await runPlan(
    aPlan([agentStage('a')]),
    { path: 'x' },
    { tools: [SHOUT], model },
  );
  assert.equal(taskOutput(outcome), 'Fine.');
  assert.equal(journal.rowOf('t1/a.1.1')?.parent, 't1');
  assert.partialDeepStrictEqual(engine.spentOf('t1'), { steps: 2, tokens: 30 });
});

test('a feedback stage sends the judged stage back until it is content', async () => {
  const judge = aStage('judge', {
    role: 'feedback',
    feedback: { reviews: 'draft', until: 'output.n > 2', maxRounds: 5 },
  });
  const draft = aStage('draft', { output: "has(input.feedback) ? {'n': input.previous.n + 1} : input" });
  const { outcome, journal } = await runPlan(aPlan([draft, judge, aStage('end')], ['draft>judge', 'judge>end']), {
    n: 1,
  });
  assert.deepEqual(taskOutput(outcome), { result: { n: 3 }, feedback: { n: 3 }, rounds: 3, accepted: true });
  assert.deepEqual(stageEnds(journal), ['draft done 3.1', 'judge done 3.1', 'end done 1.1']);
});

test('the rounds of a feedback stage are bounded', async () => {
  const judge = aStage('judge', { role: 'feedback', feedback: { reviews: 'draft', until: 'false', maxRounds: 2 } });
  const { outcome } = await runPlan(aPlan([aStage('draft'), judge], ['draft>judge']), 1);
  assert.partialDeepStrictEqual(taskOutput(outcome) as object, { rounds: 2, accepted: false });
});

test('a merge of the first takes the branch that ended first in the journal, and the others are stopped', async () => {
  const gate = Promise.withResolvers<void>();
  const slow = aTool({ name: 'slow', effect: 'read' }, async ({ text }, { signal }) => {
    signal.addEventListener('abort', () => gate.resolve());
    await gate.promise;
    return { kind: 'ok', text };
  });
  const plan = aPlan(
    [toolStage('a', 'slow'), toolStage('b', 'shout'), aStage('m', { role: 'merge', merge: 'first' })],
    ['a>m', 'b>m'],
  );
  const { outcome, journal } = await runPlan(plan, 'x', { tools: [SHOUT, slow] });
  assert.equal(taskOutput(outcome), 'shout: x');
  assert.deepEqual(stageEnds(journal), ['b done 1.1', 'm done 1.1', 'a stopped 1.1']);
});

test('a veto before a stage fails it as a denied permission', async () => {
  const ports = { beforeStage: async () => 'Not on a Sunday.' };
  const { outcome } = await runPlan(aPlan([aStage('a')]), 1, { ports });
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'vetoed' });
});

test('a task waits for the permission that its agent needs, and continues after the answer in another engine', async () => {
  const journal = journals.open();
  const plan = aPlan([agentStage('a'), aStage('b')], ['a>b']);
  const policy = { judge: () => ({ verdict: 'ask', reason: '' }) as const };
  const first = flowEngine({
    journal,
    tools: [SHOUT],
    policy,
    model: scriptedModel([calls(['shout', { text: 'x' }])]),
  });
  const waiting = await outcomeOf(await first.engine.start(aTask(plan, 'x')));
  assert.partialDeepStrictEqual(waiting, { kind: 'waiting', for: 'permission' });
  const [request = ''] = waiting.kind === 'waiting' && waiting.for === 'permission' ? waiting.requests : [];
  const second = flowEngine({ journal, tools: [SHOUT], policy, model: scriptedModel([says('Done.')]) });
  const outcome = await outcomeOf(second.engine.resume('t1', { answers: [{ request, answer: 'allow' }] }));
  assert.equal(taskOutput(outcome), 'Done.');
});

test('a model that cannot be reached parks the task', async () => {
  const { outcome } = await runPlan(aPlan([agentStage('a')]), 'x', {
    model: scriptedModel([fails('rate', false, 60_000)]),
  });
  assert.partialDeepStrictEqual(outcome, { kind: 'waiting', for: 'model', code: 'rate' });
});

test('a cancel reaches the agent of a stage', async () => {
  const journal = journals.open();
  const asked = Promise.withResolvers<void>();
  const model: ModelPort = {
    chat: async function* (_request, signal) {
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield { type: 'delta', text: '' };
    },
  };
  const { engine } = flowEngine({ journal, model });
  const begun = await engine.start(aTask(aPlan([agentStage('a')]), 'x'));
  await asked.promise;
  engine.cancel('t1');
  assert.partialDeepStrictEqual(await outcomeOf(begun), { kind: 'cancelled' });
  assert.partialDeepStrictEqual(engine.outcomeOf('t1/a.1.1'), { kind: 'cancelled' });
});

test('an engine without plans refuses one', async () => {
  const { engine } = anEngine({ journal: journals.open(), model: scriptedModel([]) });
  assert.deepEqual(await engine.start(aTask(aPlan([aStage('a')]), 1)), { ok: false, code: 'plans_unsupported' });
});
