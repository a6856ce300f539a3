import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEchoRuntime } from '../examples/echo-runtime.ts';
import { createRuntime, createStubRuntime } from './index.ts';
import type { RuntimeConfig, RuntimeContext } from './index.ts';

const config: RuntimeConfig = {
  agentId: 'ada',
  displayName: 'Ada',
  persona: '',
  workspacePath: '/workspace',
  memoryPath: '/memory.jsonl',
  settings: {},
};

const context: RuntimeContext = {
  repository: 'https://example.org/tools.git',
  branch: 'main',
  speaker: 'bob',
  place: 'the café',
  plan: 'drinking coffee',
  work: null,
  seed: 1,
  signal: new AbortController().signal,
};

const registry = { stub: createStubRuntime, echo: createEchoRuntime };

const created = (name: string) => {
  const result = createRuntime(registry, name);
  if (!result.ok) assert.fail(result.error.message);
  return result.runtime;
};

test('the stub answers with prompt, repository and branch', async () => {
  const stub = created('stub');
  await stub.initialize(config);
  const answer = await stub.execute('List files in repository', context);
  assert.match(answer, /^\[STUB RESPONSE\]\n/);
  assert.match(answer, /Received prompt: List files in repository\n/);
  assert.match(answer, /repo=https:\/\/example\.org\/tools\.git, branch=main\n/);
  await stub.terminate();
});

test('the stub reports that the agent has no repository', async () => {
  const answer = await created('stub').execute('hello', { ...context, repository: null, branch: null });
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

test('a name that every JavaScript object has is unknown too', () => {
  assert.equal(createRuntime(registry, 'constructor').ok, false);
});

test('the example in the documentation works as described', async () => {
  const echo = created('echo');
  await echo.initialize({ ...config, settings: { prefix: '> ' } });
  assert.equal(await echo.execute('hello', context), '> hello');
  await assert.rejects(created('echo').initialize({ ...config, settings: { prefix: 3 } }), /prefix must be text/);
});
