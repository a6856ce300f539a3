import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunCancelled, type AgentRuntime } from '../agent-runtime.ts';
import type { ModelPort } from '../loop/ports.ts';
import { aTool, echo, someJournals } from '../testing/a-tool.ts';
import { anEngine, aRunContext, aRunInput, aRuntimeConfig } from '../testing/an-engine.ts';
import { calls, fails, says, scriptedModel } from '../testing/scripted-model.ts';
import { createEngineRuntime } from './engine-runtime.ts';

const journals = someJournals();

type Setting = Parameters<typeof anEngine>[0];

async function aRuntime(setting: Setting): Promise<AgentRuntime> {
  const { engine } = anEngine(setting);
  const runtime = createEngineRuntime();
  await runtime.initialize(aRuntimeConfig(), {
    engine: async () => engine,
    engineWith: () => assert.fail('unused'),
    model: setting.model,
    programs: null,
    mirrored: async () => {},
  });
  return runtime;
}

test('a later process reads the same outcome of a finished run', async () => {
  const journal = journals.open();
  const model = scriptedModel([calls(['look', { text: 'here' }]), says('A café.')]);
  const runtime = await aRuntime({ journal, model, tools: [echo('look', 'read')] });
  const done = { kind: 'done', text: 'A café.' };
  assert.deepEqual(await runtime.execute(aRunInput(), aRunContext()), done);
  const again = await aRuntime({ journal, model: scriptedModel([]) });
  assert.deepEqual(await again.execute(aRunInput(), aRunContext()), done);
});

test('a run waits for a person and continues with the answer', async () => {
  const model = scriptedModel([calls(['post', { text: 'x' }]), says('Posted.')]);
  const policy = { judge: () => ({ verdict: 'ask' as const, reason: '' }) };
  const runtime = await aRuntime({ journal: journals.open(), model, tools: [echo('post', 'keyed')], policy });
  assert.deepEqual(await runtime.execute(aRunInput(), aRunContext()), { kind: 'waiting', requests: ['r1/1.0/1'] });
  const answers = [{ request: 'r1/1.0/1', answer: 'allow' as const }];
  const outcome = await runtime.execute(aRunInput({ answers }), aRunContext());
  assert.deepEqual(outcome, { kind: 'done', text: 'Posted.' });
});

test('a cancel ends the run; any other abort releases it, and it continues later', async () => {
  for (const [reason, expected] of [
    [new RunCancelled('stop'), { kind: 'cancelled', unsettled: ['1.0'] }],
    [new Error('the lease is lost'), { kind: 'interrupted' }],
  ] as const) {
    const stuck = Promise.withResolvers<never>();
    const post = aTool({ name: 'post', effect: 'keyed' }, async (_input, { attempt, signal }) => {
      if (attempt > 1) return { kind: 'ok', text: 'posted' };
      signal.addEventListener('abort', () => stuck.reject(new Error('aborted')));
      return stuck.promise;
    });
    const model = scriptedModel([calls(['post', { text: 'x' }]), says('Posted.')]);
    const abort = new AbortController();
    const notify: Setting['notify'] = (notice) => {
      if (notice.type === 'event' && notice.event.type === 'tool_intent') setImmediate(() => abort.abort(reason));
    };
    const limits = { cancelGraceMs: 20 };
    const runtime = await aRuntime({ journal: journals.open(), model, tools: [post], limits, notify });
    const outcome = await runtime.execute(aRunInput(), aRunContext({ signal: abort.signal }));
    assert.deepEqual(outcome, expected);
    const later = await runtime.execute(aRunInput(), aRunContext());
    assert.deepEqual(later, expected.kind === 'cancelled' ? expected : { kind: 'done', text: 'Posted.' });
  }
});

test('speech is one request without tools and without a journal', async () => {
  const model = scriptedModel([says('Hello, Bob.'), fails('quota', false)]);
  const chat: ModelPort = { chat: (request, signal) => model.chat(request, signal) };
  const runtime = await aRuntime({ journal: journals.open(), model: chat, tools: [echo('look', 'read')] });
  const speech = { kind: 'speech', text: 'Hi', prompt: { stable: 'Ada', situation: '' }, model: 'test' } as const;
  assert.deepEqual(await runtime.execute(speech, aRunContext()), { kind: 'done', text: 'Hello, Bob.' });
  assert.deepEqual([model.requests[0]?.tools.length, model.requests[0]?.at], [0, null]);
  await assert.rejects(runtime.execute(speech, aRunContext()), { code: 'model_quota' });
});
