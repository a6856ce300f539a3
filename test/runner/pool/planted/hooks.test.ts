/** A test file with hooks at its top. */
import { after, beforeEach, test } from 'node:test';

let count = 0;
beforeEach(() => void (count += 1));
after(() => console.log(`counted ${count}`));
test('one', () => {});
test('two', () => {});
