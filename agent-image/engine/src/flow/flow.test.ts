import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../effects/tool.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunOutcome } from '../loop/advance.ts';
import type { Engine, RunRequest } from '../loop/engine.ts';
import type { ModelPort } from '../loop/ports.ts';
import { loadRun } from '../loop/transcript.ts';
import { aStage, aPlan } from '../testing/a-plan.ts';
import { aTool, echo, outcomeOf, someJournals } from '../testing/a-tool.ts';
import { anEngine, aRequest, type Setting } from '../testing/an-engine.ts';
import { BUDGETS } from '../testing/an-event.ts';
import { calls, fails, says, scriptedModel } from '../testing/scripted-model.ts';
import type { Plan, PlanStage } from '../workflow/plan/plan.ts';
import { createFlow } from './create-flow.ts';
import type { FlowPorts } from './flow-ports.ts';

const journals = someJournals();
const NO_MODEL: ModelPort = scriptedModel([]);

/** Tool stages call their tool once; agents get their input as text. */
const flowPorts = (ports: Partial<FlowPorts> = {}): FlowPorts => ({
  agentRun: async ({ input }) => ({
    ok: true,
    run: {
      input: JSON.stringify(input),
      prompt: { stable: 'You help.', situation: '' },
      model: 'test',
      budgets: BUDGETS,
    },
  }),
  toolStep: ({ stage, input }, [settled]) => {
    if (settled === undefined)
      return { kind: 'calls', calls: [{ tool: stage.tool ?? '', arguments: { text: String(input) } }] };
    const { outcome } = settled;
    if (outcome?.kind === 'ok') return { kind: 'done', output: outcome.text };
    return {
      kind: 'failed',
      failure: { category: 'tool', code: outcome?.kind ?? 'deleted', message: 'The tool failed.' },
    };
  },
  beforeStage: async () => null,
  afterStage: () => {},
  ...ports,
});

const aTask = (plan: Plan, input: unknown, fields: Partial<RunRequest> = {}): RunRequest =>
  aRequest({
    run: 't1',
    conversation: 't1',
    input: JSON.stringify(input),
    stage: { id: 'task', plan: JSON.stringify(plan) },
    flow: { workflow: 'test', pipeline: 'default', task: JSON.stringify({ id: 't1', input, mode: null, tags: [] }) },
    ...fields,
  });

const flowEngine = (setting: Partial<Setting> & Readonly<{ journal: Journal; ports?: Partial<FlowPorts> }>) =>
  anEngine({ model: NO_MODEL, flow: createFlow(flowPorts(setting.ports)), ...setting });

const outputOf = (outcome: RunOutcome): unknown =>
  outcome.kind === 'done' ? JSON.parse(outcome.output ?? 'null') : assert.fail(JSON.stringify(outcome));

type Given = Readonly<{ tools?: readonly Tool[]; model?: ModelPort; ports?: Partial<FlowPorts> }>;

async function run(
  plan: Plan,
  input: unknown,
  given: Given = {},
): Promise<Readonly<{ outcome: RunOutcome; journal: Journal; engine: Engine }>> {
  const journal = journals.open();
  const { engine } = flowEngine({ journal, ...given });
  return { outcome: await outcomeOf(await engine.start(aTask(plan, input))), journal, engine };
}

/** How each stage ended, in the order of the ends. */
function endsOf(journal: Journal, task = 't1'): readonly string[] {
  const loaded = loadRun(journal, task);
  if (!loaded.ok) assert.fail(loaded.message);
  const stages = [...(loaded.state.flow?.stages.values() ?? [])].toSorted((one, other) => one.place - other.place);
  return stages.map(({ id, closed, attempt, round }) => `${id} ${closed?.end ?? 'open'} ${round}.${attempt}`);
}

const tool = (id: string, name: string, fields: Partial<PlanStage> = {}): PlanStage =>
  aStage(id, { role: 'tool', tool: name, ...fields });
const agent = (id: string, fields: Partial<PlanStage> = {}): PlanStage =>
  aStage(id, { role: 'agent', agent: 'ada', ...fields });
const SHOUT = echo('shout', 'read');

test('stages run one after the other; each gets the output of the one before', async () => {
  const plan = aPlan(
    [tool('a', 'shout'), aStage('b', { output: "{'said': input}" }), tool('c', 'shout', { input: '=input.said' })],
    ['a>b', 'b>c'],
  );
  const { outcome, journal } = await run(plan, 'hello', { tools: [SHOUT] });
  assert.equal(outputOf(outcome), 'shout: shout: hello');
  assert.deepEqual(endsOf(journal), ['a done 1.1', 'b done 1.1', 'c done 1.1']);
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
      ...ids.map((id) => tool(id, 'wait', { input: `=input + "${id}"` })),
      aStage('all', { role: 'merge', merge: 'by_source' }),
    ],
    ids.flatMap((id) => [`in>${id}`, `${id}>all`]),
    { maxParallel: 4 },
  );
  const { outcome } = await run(plan, 'x', { tools: [wait] });
  assert.deepEqual(outputOf(outcome), Object.fromEntries(ids.map((id) => [id, `x${id}`])));
  assert.equal(most, 4);
});

test('a decision takes one edge; the stages behind the others are skipped, and a merge does not wait for them', async () => {
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
  const small = await run(plan, 1);
  assert.deepEqual(outputOf(small.outcome), [1]);
  assert.deepEqual(
    endsOf(small.journal).filter((end) => end.includes('skipped')),
    ['high skipped 1.0', 'higher skipped 1.0'],
  );
  assert.deepEqual(outputOf((await run(plan, 9)).outcome), [9]);
});

test('a failure is tried again, then follows its error edge with the input of the failed stage', async () => {
  let tries = 0;
  const broken = aTool({ name: 'broken', effect: 'read' }, async () => {
    tries += 1;
    return { kind: 'failed', code: 'broken', text: 'no' };
  });
  const plan = aPlan(
    [tool('a', 'broken', { retry: { attempts: 3, backoffMs: 1, on: null } }), aStage('b'), aStage('alarm')],
    ['a>b', 'a!alarm'],
  );
  const { outcome, journal } = await run(plan, 'x', { tools: [broken] });
  assert.deepEqual(outputOf(outcome), {
    failure: { stage: 'a', category: 'tool', code: 'failed', message: 'The tool failed.' },
    input: 'x',
  });
  assert.equal(tries, 3);
  assert.deepEqual(endsOf(journal).toSorted(), ['a failed 1.3', 'alarm done 1.1', 'b skipped 1.0']);
});

test('a fallback edge and a fallback rule get the input of the failed stage; without either the task fails with its code', async () => {
  const broken = aTool({ name: 'broken', effect: 'read' }, async () => ({
    kind: 'failed',
    code: 'broken',
    text: 'no',
  }));
  const stages = [tool('a', 'broken'), aStage('b')];
  const byEdge = await run(aPlan(stages, ['a~b']), 'x', { tools: [broken] });
  assert.equal(outputOf(byEdge.outcome), 'x');
  const rule = { category: 'tool', role: 'tool', to: 'b' } as const;
  const byRule = await run(aPlan([...stages, aStage('c')], ['a>c'], { fallbacks: [rule] }), 'x', { tools: [broken] });
  assert.equal(outputOf(byRule.outcome), 'x');
  const none = await run(aPlan([tool('a', 'broken')]), 'x', { tools: [broken] });
  assert.partialDeepStrictEqual(none.outcome, { kind: 'failed', code: 'failed' });
});

test('a fallback rule that nothing needs leaves its stage skipped', async () => {
  const rule = { category: 'tool', role: null, to: 'b' } as const;
  const { outcome, journal } = await run(aPlan([aStage('a'), aStage('b')], [], { fallbacks: [rule] }), 1);
  assert.equal(outputOf(outcome), 1);
  assert.deepEqual(endsOf(journal), ['a done 1.1', 'b skipped 1.0']);
});

test('two taken edges to a stage that is no merge fail the task', async () => {
  const { outcome } = await run(aPlan([aStage('a'), aStage('b'), aStage('c')], ['a>c', 'b>c']), 1);
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'several_inputs' });
});

test('an agent works in a run of its own, whose costs count for the task', async () => {
  const model = scriptedModel([calls(['shout', { text: 'x' }]), says('Fine.')]);
  const { outcome, engine, journal } = await run(aPlan([agent('a')]), { path: 'x' }, { tools: [SHOUT], model });
  assert.equal(outputOf(outcome), 'Fine.');
  assert.equal(journal.rowOf('t1/a.1.1')?.parent, 't1');
  assert.partialDeepStrictEqual(engine.spentOf('t1'), { steps: 2, tokens: 30 });
});

test('a feedback stage sends the judged stage back until it is content', async () => {
  const judge = aStage('judge', {
    role: 'feedback',
    feedback: { reviews: 'draft', until: 'output.n > 2', maxRounds: 5 },
  });
  const draft = aStage('draft', { output: "has(input.feedback) ? {'n': input.previous.n + 1} : input" });
  const { outcome, journal } = await run(aPlan([draft, judge, aStage('end')], ['draft>judge', 'judge>end']), { n: 1 });
  assert.deepEqual(outputOf(outcome), { result: { n: 3 }, feedback: { n: 3 }, rounds: 3, accepted: true });
  assert.deepEqual(endsOf(journal), ['draft done 3.1', 'judge done 3.1', 'end done 1.1']);
});

test('the rounds of a feedback stage are bounded', async () => {
  const judge = aStage('judge', { role: 'feedback', feedback: { reviews: 'draft', until: 'false', maxRounds: 2 } });
  const { outcome } = await run(aPlan([aStage('draft'), judge], ['draft>judge']), 1);
  assert.partialDeepStrictEqual(outputOf(outcome) as object, { rounds: 2, accepted: false });
});

test('a merge of the first takes the branch that ended first in the journal, and the others are stopped', async () => {
  const gate = Promise.withResolvers<void>();
  const slow = aTool({ name: 'slow', effect: 'read' }, async ({ text }, { signal }) => {
    signal.addEventListener('abort', () => gate.resolve());
    await gate.promise;
    return { kind: 'ok', text };
  });
  const plan = aPlan(
    [tool('a', 'slow'), tool('b', 'shout'), aStage('m', { role: 'merge', merge: 'first' })],
    ['a>m', 'b>m'],
  );
  const { outcome, journal } = await run(plan, 'x', { tools: [SHOUT, slow] });
  assert.equal(outputOf(outcome), 'shout: x');
  assert.deepEqual(endsOf(journal), ['b done 1.1', 'm done 1.1', 'a stopped 1.1']);
});

test('a veto before a stage fails it as a denied permission', async () => {
  const ports = { beforeStage: async () => 'Not on a Sunday.' };
  const { outcome } = await run(aPlan([aStage('a')]), 1, { ports });
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'vetoed' });
});

test('a task waits for the permission that its agent needs, and continues after the answer in another engine', async () => {
  const journal = journals.open();
  const plan = aPlan([agent('a'), aStage('b')], ['a>b']);
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
  assert.equal(outputOf(outcome), 'Done.');
});

test('a model that cannot be reached parks the task', async () => {
  const { outcome } = await run(aPlan([agent('a')]), 'x', { model: scriptedModel([fails('rate', false, 60_000)]) });
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
  const begun = await engine.start(aTask(aPlan([agent('a')]), 'x'));
  await asked.promise;
  engine.cancel('t1');
  assert.partialDeepStrictEqual(await outcomeOf(begun), { kind: 'cancelled' });
  assert.partialDeepStrictEqual(engine.outcomeOf('t1/a.1.1'), { kind: 'cancelled' });
});

test('an engine without plans refuses one', async () => {
  const { engine } = anEngine({ journal: journals.open(), model: NO_MODEL });
  assert.deepEqual(await engine.start(aTask(aPlan([aStage('a')]), 1)), { ok: false, code: 'plans_unsupported' });
});
