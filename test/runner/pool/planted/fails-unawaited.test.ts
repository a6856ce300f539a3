/** A test file whose check fails after its test has passed. */
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

async function check(): Promise<void> {
  await sleep(30);
  throw new Error('nobody awaits this');
}

test('forgets to await', () => void check());
test('takes longer', () => sleep(100));
