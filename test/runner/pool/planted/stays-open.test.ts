/** A test file whose tests pass, and whose timer keeps the process alive. */
import { test } from 'node:test';

test('passes', () => {});
setInterval(() => {}, 1_000);
