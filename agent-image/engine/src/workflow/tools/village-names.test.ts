/** Built-in tools under the names of the hands. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { BUILT_INS, type BuiltInName } from './built-ins/built-in.ts';
import { VILLAGE_NAMES, villageCall } from './village-names.ts';

const HANDS = resolve(import.meta.dirname, '../../../../../api/contract/src/tools/hands-tools.ts');

test('each built-in tool and each of its arguments has a counterpart in the hands', () => {
  const hands = readFileSync(HANDS, 'utf8');
  for (const [name, { tool, arguments: rules }] of Object.entries(VILLAGE_NAMES)) {
    assert.match(hands, new RegExp(`^  ${tool}: \\{`, 'm'), tool);
    const [, input = ''] = new RegExp(`^  ${tool}: \\{[^}]*?input: (\\w+),`, 'm').exec(hands) ?? [];
    const [, fields = ''] =
      new RegExp(`^const ${input} = z\\s*\\.?strictObject\\(\\{(.*?)\\}\\);$`, 'ms').exec(hands) ?? [];
    for (const { name: argument } of Object.values(rules))
      assert.match(fields, new RegExp(`\\b${argument}:|\\b${argument},`), `${tool} takes ${argument}`);
    const { input: own } = BUILT_INS[name as BuiltInName];
    const known = 'shape' in own ? Object.keys(own.shape as object) : [];
    assert.deepEqual(Object.keys(rules).toSorted(), known.toSorted(), name);
  }
});

test('a program with its arguments becomes one line in which no word is read by the shell', () => {
  const folder = testFolder('village');
  mkdirSync(join(folder, "a folder's"));
  const run = (input: Readonly<Record<string, unknown>>): string => {
    const { tool, arguments: given } = villageCall('command.run', { folder: '.', ...input }, folder);
    assert.equal(tool, 'shell');
    return execFileSync('bash', ['-c', String(given['command'])], { cwd: '/', encoding: 'utf8', stdio: 'pipe' });
  };
  const words = ['', 'a b', "it's", '$HOME', '`ls`', '*', '; ls', '"', '\\', 'a\nb', '--x=1', '~', '#no'];
  assert.equal(run({ argv: ['printf', '%s|', ...words] }), `${words.join('|')}|`);
  assert.equal(run({ argv: ['pwd'], folder: "a folder's" }), `${join(folder, "a folder's")}\n`);
  assert.equal(run({ command: 'echo a; echo b # a comment', folder: '.' }), 'a\nb\n');
  assert.equal(run({ command: 'pwd # a comment', folder: "a folder's" }), `${join(folder, "a folder's")}\n`);
  assert.throws(() => run({ command: 'touch made', folder: 'missing' }));
});

test('other arguments keep their values, and seconds become whole', () => {
  assert.deepEqual(villageCall('filesystem.write_file', { path: 'a', content: 'x' }, '/workspace'), {
    tool: 'write_file',
    arguments: { path: 'a', content: 'x' },
  });
  assert.deepEqual(villageCall('filesystem.list', { path: '.' }, '/workspace'), {
    tool: 'list_files',
    arguments: { path: '.' },
  });
  const { arguments: given } = villageCall('command.run', { argv: ['ls'], timeout_s: 0.2 }, '/workspace');
  assert.deepEqual(given, { command: 'ls', timeout_s: 1 });
});
