/** A test file that leaves a variable behind. */
import { test } from 'node:test';

process.env['HAMLET_PLANTED'] = 'left';
test('passes', () => {});
