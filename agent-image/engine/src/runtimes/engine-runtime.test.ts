import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AgentRuntime, RunInput, RuntimeContext, RuntimeEvent, RuntimeOutcome } from '../agent-runtime.ts';
import { RunCancelled } from '../agent-runtime.ts';
import type { ModelPort } from '../loop/ports.ts';
import { aTool, echo, someJournals } from '../testing/a-tool.ts';
import { anEngine } from '../testing/an-engine.ts';
import { BUDGETS } from '../testing/an-event.ts';
import { calls, fails, says, scriptedModel } from '../testing/scripted-model.ts';
import { createEngineRuntime } from './engine-runtime.ts';

const journals = someJournals();
after(journals.remove);

const noWork: RunInput['work'] = {
  surroundings: () => assert.fail('unused'),
  go: () => assert.fail('unused'),
  find: () => assert.fail('unused'),
  say: () => assert.fail('unused'),
  use: () => assert.fail('unused'),
  look: () => assert.fail('unused'),
};
const config = {
  sessionId: 's1',
  repoPath: '/workspace',
  memoryPath: '/memory.jsonl',
  agentId: 'ada',
  displayName: 'Ada',
  persona: '',
  settings: {},
};

type Setting = Parameters<typeof anEngine>[0];

async function aRuntime(setting: Setting): Promise<AgentRuntime> {
  const { engine } = anEngine(setting);
  const runtime = createEngineRuntime();
  await runtime.initialize(config, {
    engine: async () => engine,
    engineWith: () => assert.fail('unused'),
    model: setting.model,
    programs: null,
  });
  return runtime;
}

const anInput = (run: string, changes: Partial<RunInput> = {}): RunInput => ({
  kind: 'run',
  run,
  text: 'Hello',
  prompt: { stable: 'You are Ada.', situation: '' },
  model: 'test',
  budgets: BUDGETS,
  answers: [],
  work: noWork,
  ...changes,
});

const aContext = (signal = new AbortController().signal): RuntimeContext => ({
  sessionId: 's1',
  memoryPath: '/memory.jsonl',
  repo: null,
  branch: null,
  speaker: 'Bob',
  place: null,
  plan: '',
  seed: 1,
  signal,
});

async function eventsOf(events: AsyncIterable<RuntimeEvent>): Promise<readonly RuntimeEvent[]> {
  const list: RuntimeEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

async function outcomeOf(events: AsyncIterable<RuntimeEvent>): Promise<RuntimeOutcome> {
  const last = (await eventsOf(events)).at(-1);
  return last?.type === 'outcome' ? last.outcome : assert.fail('no outcome');
}

test('a run yields its calls and words and ends in one outcome, which a later process reads again', async () => {
  const journal = journals.open();
  const model = scriptedModel([calls(['look', { text: 'here' }]), says('A café.')]);
  const runtime = await aRuntime({ journal, model, tools: [echo('look', 'read')] });
  const events = await eventsOf(runtime.execute(anInput('r1'), aContext()));
  assert.deepEqual(
    events.map((event) => (event.type === 'call' ? `${event.state} ${event.call}` : event.type)),
    ['begun 1.0', 'settled 1.0', 'words', 'words', 'outcome'],
  );
  const again = await aRuntime({ journal, model: scriptedModel([]) });
  assert.deepEqual(await outcomeOf(again.execute(anInput('r1'), aContext())), { kind: 'done', text: 'A café.' });
});

test('a run waits for a person and continues with the answer', async () => {
  const model = scriptedModel([calls(['post', { text: 'x' }]), says('Posted.')]);
  const policy = { judge: () => ({ verdict: 'ask' as const, reason: '' }) };
  const runtime = await aRuntime({ journal: journals.open(), model, tools: [echo('post', 'keyed')], policy });
  assert.deepEqual(await outcomeOf(runtime.execute(anInput('r1'), aContext())), {
    kind: 'waiting',
    requests: ['r1/1.0/1'],
  });
  const answers = [{ request: 'r1/1.0/1', answer: 'allow' as const }];
  const outcome = await outcomeOf(runtime.execute(anInput('r1', { answers }), aContext()));
  assert.deepEqual(outcome, { kind: 'done', text: 'Posted.' });
});

test('a cancel ends the run; any other abort gives it back, and it continues later', async () => {
  const stuck = Promise.withResolvers<never>();
  const post = aTool({ name: 'post', effect: 'keyed' }, async (_input, { attempt, signal }) => {
    if (attempt > 1) return { kind: 'ok', text: 'posted' };
    signal.addEventListener('abort', () => stuck.reject(new Error('aborted')));
    return stuck.promise;
  });
  for (const [reason, expected] of [
    [new RunCancelled('stop'), { kind: 'cancelled', unsettled: ['1.0'] }],
    [new Error('the lease is lost'), { kind: 'interrupted' }],
  ] as const) {
    const model = scriptedModel([calls(['post', { text: 'x' }]), says('Posted.')]);
    const runtime = await aRuntime({ journal: journals.open(), model, tools: [post], limits: { cancelGraceMs: 20 } });
    const abort = new AbortController();
    let outcome: RuntimeOutcome | null = null;
    for await (const event of runtime.execute(anInput('r1'), aContext(abort.signal))) {
      if (event.type === 'call') abort.abort(reason);
      if (event.type === 'outcome') ({ outcome } = event);
    }
    assert.deepEqual(outcome, expected);
    const later = await outcomeOf(runtime.execute(anInput('r1'), aContext()));
    assert.deepEqual(later, expected.kind === 'cancelled' ? expected : { kind: 'done', text: 'Posted.' });
  }
});

test('speech is one request without tools and without a journal', async () => {
  const model = scriptedModel([says('Hello, Bob.'), fails('quota', false)]);
  const chat: ModelPort = { chat: (request, signal) => model.chat(request, signal) };
  const runtime = await aRuntime({ journal: journals.open(), model: chat, tools: [echo('look', 'read')] });
  const speech = { kind: 'speech', text: 'Hi', prompt: { stable: 'Ada', situation: '' }, model: 'test' } as const;
  assert.deepEqual(await outcomeOf(runtime.execute(speech, aContext())), { kind: 'done', text: 'Hello, Bob.' });
  assert.deepEqual([model.requests[0]?.tools.length, model.requests[0]?.at], [0, null]);
  await assert.rejects(outcomeOf(runtime.execute(speech, aContext())), { code: 'model_quota' });
});
