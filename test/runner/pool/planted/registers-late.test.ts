/** A test file that registers a test after it was loaded. */
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

test('in time', () => sleep(100));
void sleep(30).then(() => test('late', () => assertNothing()));

function assertNothing(): void {
  throw new Error('fails late');
}
