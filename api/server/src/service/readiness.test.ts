import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReadiness } from './readiness.ts';

const silent = (): Promise<boolean> => new Promise(() => {});

test('a part that never answers is reported, but only a required one makes the replica unready', async () => {
  const optional = createReadiness([{ name: 'postgres', required: false, check: silent }], 20);
  assert.deepEqual(await optional(), { ready: true, lines: ['[-]postgres failed (not required)', 'ready'] });
  const required = createReadiness([{ name: 'world', required: true, check: silent }], 20);
  assert.deepEqual(await required(), { ready: false, lines: ['[-]world failed', 'not ready'] });
});

test('a check that throws has failed; one that answers is ok', async () => {
  const readiness = createReadiness([
    { name: 'redis', required: false, check: () => Promise.reject(new Error('no route')) },
    { name: 'world', required: true, check: () => true },
  ]);
  assert.deepEqual(await readiness(), {
    ready: true,
    lines: ['[-]redis failed (not required)', '[+]world ok', 'ready'],
  });
});
