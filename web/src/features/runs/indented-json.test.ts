import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indentedJson } from './indented-json.ts';

const SAMPLES: readonly unknown[] = [
  { a: [1, -2.5e3, { b: null }], 'c "d" \\': 'x: [1, {"y"}] \\', e: {}, f: [], g: [[], {}] },
  'a "text"',
  [],
  true,
];

test('JSON over several lines is what JSON.stringify writes', () => {
  for (const value of SAMPLES) {
    assert.equal(indentedJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    assert.equal(indentedJson(JSON.stringify(value, null, '\t')), JSON.stringify(value, null, 2));
  }
});

test('numbers keep their digits', () => {
  assert.equal(
    indentedJson('{"id":12345678901234567890,"at":1.0}'),
    '{\n  "id": 12345678901234567890,\n  "at": 1.0\n}',
  );
});
