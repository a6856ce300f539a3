import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonFault } from './json-fault.ts';

const PLACES: Readonly<Record<string, readonly [line: number, column: number] | null>> = {
  '{"a": [1, -2.5e3, {"b": null}, []], "c": {}}': null,
  ' "text \\u00e9" \n': null,
  true: null,
  '': [1, 1],
  '{\n  "a": nothing\n}': [2, 8],
  '{"a": 1,}': [1, 9],
  '[1,\n2,\n]': [3, 1],
  '[1 2]': [1, 4],
  '{"a" 1}': [1, 6],
  '{a: 1}': [1, 2],
  '{"a": 1]': [1, 8],
  "'text'": [1, 1],
  '"line\nbreak"': [1, 1],
  '1 2': [1, 3],
  '[[]': [1, 4],
  '01': [1, 2],
};

test('a fault names the place at which a text stops being JSON', () => {
  for (const [text, place] of Object.entries(PLACES)) {
    const fault = jsonFault(text);
    assert.deepEqual(fault === null ? null : [fault.line, fault.column], place, text);
  }
});

test('a text has a fault exactly if JSON.parse refuses it', () => {
  const valid = '{"a": [1, -2.5e3, {"b": null}, [], "\\"x\\""], "c": {}, "d": true}';
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  for (let at = 0; at < valid.length; at += 1)
    for (const put of ['', ',', ':', '"', '[', '}', '0', ' ', '\\', 'e']) {
      const changed = `${valid.slice(0, at)}${put}${valid.slice(at + 1)}`;
      assert.equal(jsonFault(changed) === null, isJson(changed), changed);
    }
});
