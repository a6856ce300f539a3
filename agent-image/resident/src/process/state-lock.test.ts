import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { tryLockState } from './state-lock.ts';

const folder = testFolder('lock');
const holders: ChildProcess[] = [];
after(() => holders.forEach((holder) => holder.kill('SIGKILL')));

const HOLDER = `
  const { tryLockState } = await import(process.argv[1]);
  const lock = tryLockState(process.argv[2]);
  process.stdout.write(lock === null ? 'busy' : 'held');
  // A lock without a reference is garbage-collected, which releases it.
  globalThis.lock = lock;
  setInterval(() => {}, 1000);
`;

async function startHolder() {
  const module = join(import.meta.dirname, 'state-lock.ts');
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, module, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  holders.push(child);
  const [said] = await once(child.stdout, 'data');
  assert.equal(String(said), 'held');
  return child;
}

test('a lock has one holder at a time, and a killed holder leaves no stale lock', async () => {
  const holder = await startHolder();
  assert.equal(tryLockState(folder), null);
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
  const lock = tryLockState(folder);
  assert.notEqual(lock, null);
  lock?.release();
});

test('a released lock can be taken again by another process', async () => {
  const lock = tryLockState(folder);
  assert.notEqual(lock, null);
  assert.equal(tryLockState(folder), null);
  lock?.release();
  const holder = await startHolder();
  const gone = once(holder, 'exit');
  holder.kill('SIGKILL');
  await gone;
});

test('a folder that cannot be created fails at once instead of waiting', () => {
  assert.throws(() => tryLockState('/dev/null/state'));
});
