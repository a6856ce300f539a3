/** A test file that blocks its process: no timeout of node:test can end it. */
import { test } from 'node:test';

test('never ends', () => {
  for (;;);
});
