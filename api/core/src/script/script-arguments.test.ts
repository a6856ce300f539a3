import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptArguments, ScriptParameters } from '@hamlet/contract';
import { issuesOfArguments, variablesOf } from './script-arguments.ts';

const PARAMETERS = ScriptParameters.parse({
  properties: {
    path: { type: 'string' },
    mode: { type: 'string', enum: ['fast', 'slow'] },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    ratio: { type: 'number' },
    dry: { type: 'boolean' },
  },
  required: ['path'],
});
const issues = (given: object) => issuesOfArguments(PARAMETERS, ScriptArguments.parse(given));

test('valid arguments pass, and each invalid one gets a message with the fix', () => {
  assert.deepEqual(issues({ path: 'a', mode: 'fast', count: 9, ratio: 0.5, dry: false }), []);
  assert.deepEqual(issues({ path: 7, mode: 'x', count: 1.5, ratio: 'a', dry: 'yes' }), [
    'path: write a value of type string',
    'mode: write one of fast, slow',
    'count: write a value of type integer',
    'ratio: write a value of type number',
    'dry: write a value of type boolean',
  ]);
  assert.deepEqual(issues({ count: 0, other: 1 }), [
    'path: write a value, because it is required',
    'count: write at least 1',
    'other: the script has no such parameter',
  ]);
  assert.deepEqual(issues({ path: '', count: 10 }), ['count: write at most 9']);
});

test('names of Object.prototype are not parameters', () => {
  for (const name of ['__proto__', 'PATH', 'a-b', '', 'a'.repeat(41)]) {
    const own = Object.fromEntries([[name, 'x']]);
    assert.deepEqual(Object.keys(ScriptArguments.safeParse(own).data ?? {}), [], name);
    const schema = ScriptParameters.safeParse({ properties: Object.fromEntries([[name, { type: 'string' }]]) });
    assert.deepEqual(Object.keys(schema.data?.properties ?? {}), [], name);
  }
  assert.deepEqual(issues({ path: 'a', constructor: 'x' }), ['constructor: the script has no such parameter']);
});

test('variables have the prefix ARG_, and the JSON has all arguments', () => {
  assert.deepEqual(variablesOf({ path: 'a b', count: 3, dry: true }), {
    SCRIPT_ARGUMENTS: '{"path":"a b","count":3,"dry":true}',
    ARG_PATH: 'a b',
    ARG_COUNT: '3',
    ARG_DRY: 'true',
  });
});
