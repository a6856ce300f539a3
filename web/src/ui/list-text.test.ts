import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listItems, listText } from './list-text.ts';

test('a list is written with commas, spaces or lines, and reads the same', () => {
  assert.deepEqual(listItems(' 443, 8443\n80 ', 'numbers'), [443, 8443, 80]);
  assert.deepEqual(listItems('/repos/team/**,/issues', 'texts'), ['/repos/team/**', '/issues']);
  assert.deepEqual(listItems(' , ', 'texts'), []);
  assert.equal(listText([443, 8443]), '443, 8443');
  assert.equal(listText(undefined), '');
});
