import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import { mindLabel, mindOfRuntime } from '@hamlet/core/mind';
import type { RuntimeProgram } from '@hamlet/engine';
import { runtimeThat } from '../testing/a-runtime.ts';
import { aConfig } from '../testing/a-village.ts';
import { createRuntimePool, type PoolPorts } from './runtime-pool.ts';

const IDLE_MS = 20;

test('an instance ends after its last use, never during one', async () => {
  const ended: string[] = [];
  const { promise: work, resolve: finish } = Promise.withResolvers<void>();
  const long = () => ({
    initialize: async () => {},
    execute: async () => {
      await work;
      return { kind: 'done' as const, text: ended.join() };
    },
    terminate: async () => void ended.push('long'),
  });
  const ports = { registry: { long }, host: {}, workspacePath: '/', memoryPath: '/m', idleMs: IDLE_MS };
  const pool = createRuntimePool(ports as unknown as PoolPorts);
  const config = { ...aConfig(), runtime: { named: true, name: 'long', config: {} } };
  const obtained = await pool.obtain(config, 's1');
  assert.ok(obtained.ok);
  const outcome = obtained.runtime.execute({} as never, {} as never);
  await delay(3 * IDLE_MS);
  finish();
  assert.deepEqual(await outcome, { kind: 'done', text: '' });
  await until('the idle instance ends', () => ended.length > 0);
  assert.deepEqual(ended, ['long']);
});

test('a mind is the runtime with the program that any of its instances knows; words of the program are made readable', async () => {
  const programs: (RuntimeProgram | null)[] = [null, { name: 'My\u202E agent', version: ' 1.2\n', installed: null }];
  const made = programs.map((program) => ({ ...runtimeThat(async () => ''), program: () => program }));
  const acp = () => made.shift() ?? runtimeThat(async () => '');
  const pool = createRuntimePool({ registry: { acp }, host: {}, workspacePath: '/', memoryPath: '/m' } as never);
  const config = { ...aConfig(), runtime: { named: true, name: 'acp', config: { command: '/bin/my-agent' } } };
  const labels = [];
  for (const session of ['s1', 's2', 's1', 's3']) labels.push(mindLabel((await pool.obtain(config, session)).mind));
  assert.deepEqual(labels, ['my-agent', 'My agent 1.2', 'My agent 1.2', 'My agent 1.2']);
  const other = { ...config, runtime: { named: true, name: 'gone', config: {} } };
  assert.deepEqual((await pool.obtain(other, 's1')).mind, mindOfRuntime('gone'));
  await pool.terminate();
});

test('the first model of an agent changes its runtime, and the pool reports that', async () => {
  const made = () => runtimeThat(async () => '');
  const registry = { engine: made, scripted: made };
  const pool = createRuntimePool({ registry, host: {}, workspacePath: '/', memoryPath: '/m' } as never);
  const stop = new AbortController();
  const unnamed = { ...aConfig(), runtime: { named: false, name: 'scripted', config: {} } };
  await pool.obtain({ ...unnamed, model: null }, 'a');
  let isNoticed = false;
  const noticed = pool.runtimeChanged.wait(60_000, stop.signal).then(() => (isNoticed = !stop.signal.aborted));
  await pool.obtain({ ...unnamed, model: null }, 'b');
  assert.equal(isNoticed, false, 'another conversation has the same runtime');
  const model = { provider: 'up', name: 'up-model', scripted: false, reason: 'the default' } as never;
  await pool.obtain({ ...unnamed, model }, 'a');
  await noticed;
  assert.equal(isNoticed, true);
  isNoticed = false;
  const again = pool.runtimeChanged.wait(60_000, stop.signal).then(() => (isNoticed = !stop.signal.aborted));
  // A workflow, and a run that an earlier mind began, ask for their own runtimes.
  for (const present of [null, model, null, model]) await pool.obtain({ ...unnamed, model: present }, 'a');
  stop.abort();
  await again;
  assert.equal(isNoticed, false, 'runs of two runtimes take turns');
  await pool.terminate();
});
