/** A test file that ends its process. */
import { test } from 'node:test';

test('ends the process', () => process.exit(3));
