/** A test file with an error that its running test does not await, and with a nested test and hook. */
import { executionAsyncId } from 'node:async_hooks';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

test('throws in a timer', async () => {
  setTimeout(() => {
    throw new Error('thrown in a timer');
  }, 5);
  await sleep(60_000, undefined, { ref: false });
});
test('nests', async () => {
  await sleep(1);
  after(() => console.log('after the nested'));
  await test('nested', async () => {
    await Promise.resolve();
    console.log(`promises ${executionAsyncId() === 0 ? 'have no ids' : 'have ids'}`);
  });
  console.log('nested has ended');
});
