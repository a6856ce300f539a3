import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigError } from '../plan/config-error.ts';
import { configErrorText } from './config-error-text.ts';

const error = (fields: Partial<ConfigError> = {}): ConfigError => ({
  code: 'config_unknown_key',
  file: 'workflow.yaml',
  line: 2,
  column: 5,
  path: 'workflow.nodez',
  message: "there is no key 'nodez'",
  hint: "Did you mean 'nodes'?",
  ...fields,
});

const textOf = (text: string) => (file: string) => (file === 'workflow.yaml' ? text : null);

test('an error has its place, its line with a caret, and its hint', () => {
  const shown = configErrorText(
    [error(), error({ file: 'tools.yaml', line: 1, column: 1, hint: null })],
    'flows',
    textOf('workflow:\n  - nodez: []\r\n'),
  );
  assert.equal(
    shown,
    [
      "flows/workflow.yaml:2:5: there is no key 'nodez'",
      '  2 |   - nodez: []',
      '    |     ^',
      "  hint: Did you mean 'nodes'?",
      '',
      "flows/tools.yaml:1:1: there is no key 'nodez'",
      '',
    ].join('\n'),
  );
});

test('the caret stands below its place in a long line, and after tabs and escapes of a terminal', () => {
  const long = `${'x'.repeat(5_000)}!${'y'.repeat(5_000)}`;
  for (const [text, column] of [
    [long, 5_001],
    [`\t\u001b[31m!`, 7],
  ] as const) {
    const [, line = '', caret = ''] = configErrorText([error({ line: 1, column })], 'flows', textOf(text)).split('\n');
    assert.equal(line[caret.indexOf('^')], '!');
    assert.ok(line.length < 130 && !/\p{Cc}/u.test(line));
  }
});

test('a place beyond the end of the file shows no line', () => {
  const shown = configErrorText([error({ line: 9 })], 'flows', textOf('workflow: {}\n'));
  assert.equal(shown.split('\n').length, 3);
});
