import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { LateError, withTimeout } from './with-timeout.ts';

/** Blocks this process, as if the machine gave it no processor time. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('work that never settles times out', async () => {
  await assert.rejects(withTimeout(20, new Promise(() => undefined)), LateError);
});

test('an answer that arrives while the process is blocked beyond the limit is read before the timeout', async () => {
  const reading = withTimeout(2_000, readFile(import.meta.filename, 'utf8'));
  standStill(2_100);
  assert.match(await reading, /stood still/);
});

test('work that fails rejects with its own error', async () => {
  await assert.rejects(withTimeout(60_000, Promise.reject(new RangeError('no'))), RangeError);
});
