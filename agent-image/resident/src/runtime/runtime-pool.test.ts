import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';
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
