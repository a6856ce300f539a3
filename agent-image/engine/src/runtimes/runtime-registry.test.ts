import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEchoRuntime } from '../../examples/echo-runtime.ts';
import type { AgentRuntime, RuntimeContext, RuntimeHost } from '../index.ts';
import { createRuntime, createStubRuntime } from '../index.ts';
import { aRunContext, aRuntimeConfig } from '../testing/an-engine.ts';

const host: RuntimeHost = {
  engine: () => assert.fail('the runtime needs no engine'),
  engineWith: () => assert.fail('the runtime needs no engine'),
  programs: null,
  mirrored: async () => {},
  model: { chat: () => assert.fail('the runtime needs no model') },
};

async function answerTo(runtime: AgentRuntime, text: string, changes: Partial<RuntimeContext> = {}): Promise<string> {
  const input = { kind: 'speech' as const, text, prompt: { stable: '', situation: '' }, model: '' };
  const outcome = await runtime.execute(input, aRunContext(changes));
  return outcome.kind === 'done' ? outcome.text : assert.fail(outcome.kind);
}

const registry = { stub: createStubRuntime, echo: createEchoRuntime };

const created = (name: string) => {
  const result = createRuntime(registry, name);
  if (!result.ok) assert.fail(result.error.message);
  return result.runtime;
};

test('the stub answers with prompt, repository and branch', async () => {
  const stub = created('stub');
  await stub.initialize(aRuntimeConfig(), host);
  const answer = await answerTo(stub, 'List files in repository');
  assert.match(answer, /^\[STUB RESPONSE\]\n/);
  assert.match(answer, /Received prompt: List files in repository\n/);
  assert.match(answer, /repo=https:\/\/example\.org\/tools\.git, branch=main\n/);
  await stub.terminate();
});

test('the stub reports an agent without a repository', async () => {
  const answer = await answerTo(created('stub'), 'hello', { repo: null, branch: null });
  assert.match(answer, /repo=none, branch=none/);
});

test('an unknown name is refused with a stable code and the known names', () => {
  assert.deepEqual(createRuntime(registry, 'gpt'), {
    ok: false,
    error: {
      code: 'unknown_runtime',
      name: 'gpt',
      known: ['echo', 'stub'],
      message: 'There is no runtime "gpt". Write one of: echo, stub.',
    },
  });
});

test('a property name of every JavaScript object is unknown too', () => {
  assert.equal(createRuntime(registry, 'constructor').ok, false);
});

test('the example in the documentation works as described', async () => {
  const echo = created('echo');
  await echo.initialize(aRuntimeConfig({ prefix: '> ' }), host);
  assert.equal(await answerTo(echo, 'hello'), '> hello');
  await assert.rejects(created('echo').initialize(aRuntimeConfig({ prefix: 3 }), host), /prefix must be text/);
});
