import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { testFolder } from '@hamlet/test/env/at-end';
import { API_MAIN, startApiProcess } from '../testing/api-process.ts';
import { startTestVillage } from '../testing/test-village.ts';

const run = promisify(execFile);
const folder = testFolder('test-load');

test('Node drops the cached code of each stage before it reads that of the next one', async () => {
  const [first, second] = ['first.mjs', 'second.mjs'].map((file) => join(folder, file)) as [string, string];
  writeFileSync(first, 'export const number = 1;');
  writeFileSync(second, 'export const number = 2;');
  const program = `
    const { loadInStages } = await import(${JSON.stringify(join(import.meta.dirname, 'load-in-stages.ts'))});
    const loaded = await loadInStages([() => import(${JSON.stringify(first)})], () => import(${JSON.stringify(second)}));
    process.stdout.write(String(loaded.number));`;
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: join(folder, 'cache-of-stages'),
    NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
  };
  const args = ['--input-type=module', '--eval', program];
  await run(process.execPath, args, { env });
  const { stdout, stderr } = await run(process.execPath, args, { env });
  assert.equal(stdout, '2');
  const steps = [...stderr.matchAll(/(first|second)\.mjs was accepted|Clear deserialized cache/g)].map(
    ([text, file]) => file ?? text,
  );
  assert.deepEqual(steps.slice(0, 4), ['first', 'Clear deserialized cache', 'second', 'Clear deserialized cache']);
});

test("the image's compile cache has every module that a serving API loads", async () => {
  const [cache, log] = [join(folder, 'cache'), join(folder, 'cache.log')];
  await run(process.execPath, [API_MAIN, '--help'], { env: { ...process.env, NODE_COMPILE_CACHE: cache } });
  const watched = `NODE_DEBUG_NATIVE=COMPILE_CACHE NODE_COMPILE_CACHE=${cache} exec "$0" "$1" 2>${log}`;
  const village = await startTestVillage();
  try {
    const api = await startApiProcess(village, {}, ['sh', '-c', watched, process.execPath, API_MAIN]);
    await api.stop('SIGTERM');
  } finally {
    await village.remove();
  }
  const lines = readFileSync(log, 'utf8').split('\n');
  assert.ok(lines.filter((line) => line.endsWith('was accepted, keeping the in-memory entry')).length > 1_000);
  // Node would strip the types of a missing module with its own WebAssembly compiler, which stays in memory.
  const missing = lines.filter((line) => /no transpile cache|\.ts was not initialized/.test(line));
  assert.deepEqual(missing, []);
});
