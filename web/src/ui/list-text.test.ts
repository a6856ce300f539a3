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

test('a value with a comma, a space or a quote stays one value, between quotes', () => {
  const values = ['/a,b/**', 'git push *', 'say "no"', 'plain'];
  assert.equal(listText(values), '"/a,b/**", "git push *", "say ""no""", plain');
  assert.deepEqual(listItems(listText(values), 'texts'), values);
  assert.deepEqual(listItems('"/a,', 'texts'), ['/a,'], 'while it is typed');
  assert.deepEqual(listItems('say"no', 'texts'), ['say"no']);
});
